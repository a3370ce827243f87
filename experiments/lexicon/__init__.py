"""The lexicon that is shipped, made from WordNet's files."""
