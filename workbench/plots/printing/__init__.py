"""What draws a figure for print: see to_matplotlib.py, which uses it."""
