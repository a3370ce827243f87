"""How long an answer will still take, from how far it came while somebody waited for it."""

from collections import deque

WATCH_SECONDS = 8.0
"""How long to watch before anything is said."""
WINDOW_SECONDS = 60.0
"""What came before counts no longer: models are loaded first, and others may take their turn."""
AWAY_SECONDS = 15.0
"""Without a look for so long, nobody knows whether it went on."""
LEAST_SECONDS = 20.0
"""What is sooner there is not said."""


class Pace:
    """Progress over time."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, float]] = deque()
        self._looked = -AWAY_SECONDS

    def seconds_left(self, now: float, progress: float) -> float | None:
        """Seconds until the progress (0..1), which is noted at the time `now`, will be 1; None while that is not known, or soon.

        >>> pace = Pace()
        >>> [pace.seconds_left(10.0 * second, 0.01 * second) for second in range(4)]
        [None, 990.0, 980.0, 970.0]
        """
        if now - self._looked > AWAY_SECONDS or (self._seen and progress < self._seen[-1][1]):
            self._seen.clear()
        self._looked = now
        if not self._seen or progress > self._seen[-1][1] or len(self._seen) == 1:
            self._seen.append((now, progress))
        while len(self._seen) > 2 and now - self._seen[0][0] > WINDOW_SECONDS:
            self._seen.popleft()
        began, first = self._seen[0]
        if now - began < WATCH_SECONDS or progress <= first:
            return None
        left = (1 - progress) * (now - began) / (progress - first)
        return left if left >= LEAST_SECONDS else None
