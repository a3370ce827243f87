"""Which texts: pickers of a corpus, of its columns and of sentences, and the report on a corpus.

Shared by Augment, Explore, Runs and Train.
"""
