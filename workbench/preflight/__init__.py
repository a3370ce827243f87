"""Before the first step: refusals, warnings and who acknowledged them, estimates, the dry run, the corpus report."""
