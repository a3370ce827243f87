"""The training loop: it yields steps, and neither saves nor evaluates."""
