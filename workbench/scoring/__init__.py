"""A target on scored pairs and on the sets of a suite, and how many of their sentences it was trained on."""
