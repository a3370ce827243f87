"""A row of a table, as plain values by column."""

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]
"""Values by column name, as `DataFrame.to_dict("records")` returns them; pandas does not declare the type of a column."""
