"""The lesson: its words, the numbers that each step shows, and the file that needs no server."""
