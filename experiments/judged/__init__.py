"""Samples of augmented texts that were judged by reading, and the scripts that draw and count them."""
