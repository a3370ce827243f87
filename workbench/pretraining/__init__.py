"""Masked language modelling: text files into packed sequences, and a loop that trains a backbone to predict masked tokens."""
