"""Targets, that is everything that texts can be encoded with: their grammar, opening one as an encoder, and fitting."""
