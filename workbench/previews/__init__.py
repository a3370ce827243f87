"""What augmentations do to texts, token states and a whole corpus, before anything is trained."""
