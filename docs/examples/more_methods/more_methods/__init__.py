"""Methods for the Contrastive Workbench. pyproject.toml says where each of them joins."""
