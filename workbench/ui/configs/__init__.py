"""Which run: its configuration as changes in the address, as commands, checked for folders, and one of its batches.

Shared by Runs and Train.
"""
