"""Background processes of a runs folder: starting them, checking that they are alive, and the SQLite tables they share."""
