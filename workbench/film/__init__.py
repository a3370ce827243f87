"""The film of a run: its tables, and the figures with one slider, in the page and as a file that needs no server."""
