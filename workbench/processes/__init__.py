"""Processes of a runs folder: started by whoever needs them, recognised when they live, and the tables that several share."""
