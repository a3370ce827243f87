"""Run folders: the names of their files, and how they are created, read, appended to, packed and unpacked. Without
torch.
"""
