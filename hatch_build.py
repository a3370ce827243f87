"""What a wheel carries beside the code. Hatchling runs this when it builds one; pyproject.toml says the rest."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHIPPED = ("app.py", "pages", "assets", ".streamlit/config.toml")
"""In a clone these lie beside the package; an installed one has nowhere beside it. They get a folder of their own in it, because
Streamlit puts the folder of app.py on the search path of modules, and beside `workbench/statistics` nothing could import
Python's own. `workbench.core.paths.shipped` finds them in both."""


class Shipped(BuildHookInterface):  # type: ignore[type-arg]
    """Adds them to a wheel; an editable install has them where they are."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """See `BuildHookInterface.initialize`."""
        if self.target_name == "wheel" and version == "standard":
            build_data["force_include"].update({name: f"workbench/shipped/{name}" for name in SHIPPED})
