"""Backbones: the embedded ones, folders, the Hub; encoding with them; saving them for others."""
