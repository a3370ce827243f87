"""What every other package may use: methods and knobs, settings, seeds, devices, errors."""
