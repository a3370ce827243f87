"""A method with a rule that no range of a single setting can say."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workbench.core.method import Method, Settings


@dataclass(frozen=True)
class Verified(Method):
    """A method whose settings are checked together, wherever a method's settings are checked: before the first step."""

    verify: Callable[..., None] | None = None
    """`(*, <settings>)`, which raises `BadSetting`. It takes all settings of the method by name."""

    def check(self, values: Mapping[str, object]) -> Settings:
        """See `Method.check`; then the rule across settings."""
        settings = super().check(values)
        if self.verify is not None:
            self.verify(**settings)
        return settings
