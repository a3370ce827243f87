"""A method with a rule that spans several settings, so that no single range can express it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workbench.core.method import Method, Settings


@dataclass(frozen=True)
class Verified(Method):
    """A method whose settings are also checked together, as part of `Method.check`, before the first step."""

    verify: Callable[..., None] | None = None
    """`(*, <settings>)`, which raises `BadSetting`. It receives all settings of the method by name."""

    def check(self, values: Mapping[str, object]) -> Settings:
        """As `Method.check`, then applies the rule that spans settings."""
        settings = super().check(values)
        if self.verify is not None:
            self.verify(**settings)
        return settings
