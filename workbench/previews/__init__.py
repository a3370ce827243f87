"""Previews of augmentations before training: on texts, on token states, and over a whole corpus."""
