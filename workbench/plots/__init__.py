"""Figures: one file each, a table in, a Plotly figure out. Nothing is computed here but layout."""
