"""Which augmentation: the editor of a pipeline, and the words that none may touch.

Shared by Augment and Train; Compare has its labels.
"""
