"""Processes: the queue of runs, the supervisor that starts them, the worker that is one, the warm compute process."""
