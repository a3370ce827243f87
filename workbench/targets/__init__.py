"""What can be encoded with: the grammar, opening a target as an encoder, and fitting what it needs."""
