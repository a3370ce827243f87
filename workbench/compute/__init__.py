"""The warm process that answers requests: tickets, the process itself, and the models that it keeps loaded."""
