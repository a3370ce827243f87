"""Scores of an encoder on scored pairs, and the overlap of their sentences with the texts it was trained on."""
