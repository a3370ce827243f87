"""Where workers run: on this machine, or as jobs of a cluster. One file each; `interface` says what they have in common."""
