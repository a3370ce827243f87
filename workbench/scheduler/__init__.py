"""The queue of runs, the supervisor that starts them, and the operations on runs: submit, stop, resume, delete."""
