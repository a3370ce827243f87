"""The process that is one training: the driver, what it trains, its probes, and what is done with its checkpoints."""
