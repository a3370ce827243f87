"""Inside a training: the batch of a step, its candidates and negatives, and gradients under augmentations."""
