"""Which encoder: pickers, names and colours of runs, backbones and their variants.

Shared by all pages but Home.
"""
