"""The queue of runs, the supervisor that starts them, and what is done with runs from outside: submit, stop, resume, delete."""
