"""Checks before the first step: refusals, warnings and their acknowledgement, estimates, dry run, corpus report."""
