"""Texts and scored pairs from the demo set, files, benchmark folders and the Hub; and what is wrong with them."""
