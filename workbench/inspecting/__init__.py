"""Inside a training: the batch of a step, who pulls on it, what augmentations pull at, and a rehearsal of it all."""
