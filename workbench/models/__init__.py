"""Backbones: loading them (embedded, from folders, from the Hub), encoding with them, and exporting them."""
