"""A report that can be handed in: what it says, its formats, and its files; assets/report has script and style sheet."""
