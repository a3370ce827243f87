"""A row of a table, as plain values by column."""

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]
"""By column, as `DataFrame.to_dict("records")` gives it; pandas does not say what a column holds."""
