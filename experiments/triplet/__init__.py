"""ArcCSE with its triplet and without, on the raw masked language model: what the term does at the margin of the recipe."""
