"""Reads texts and scored pairs from the demo set, files, benchmark folders and the Hub, and reports problems in them."""
