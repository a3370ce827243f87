"""Figures, one file each: a function takes a table and returns a Plotly figure. Nothing but layout is computed here."""
