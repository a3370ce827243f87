"""Run folders: the names of their files; how they are created, read, appended to, packed and unpacked. Never torch."""
