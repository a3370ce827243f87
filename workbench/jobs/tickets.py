"""Asking the compute process without waiting for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What is known about a request now."""

    state: str
    """queued, running, done, failed or cancelled."""
    progress: float = 0.0
    """0 to 1."""
    result: Any = None
    error: str = ""
    note: str = ""
    """What is being done, in words."""

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.state in ("done", "failed", "cancelled")


@dataclass(frozen=True)
class Ticket:
    """A request that was made. Plain data: it can lie in a session."""

    runs: str
    verb: str
    key: str
    number: int
    """0 where the answer was there already."""

    def poll(self) -> Answer:
        """The answer as far as it is known; never blocks."""
        raise NotImplementedError

    def wait(self, timeout_seconds: float | None = None, follow: Callable[[Answer], None] | None = None) -> Any:
        """The result.

        Raises:
            WorkbenchError: what the compute process said.
        """
        raise NotImplementedError

    def cancel(self) -> None:
        """Take the request back."""
        raise NotImplementedError
