"""Research on the product, not the product: evidence, benchmarks, and the comparison that Home shows.

It imports workbench, and workbench never imports it.
"""
