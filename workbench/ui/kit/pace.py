"""How long an answer will still take, from how far it came while somebody waited for it."""

from collections import deque
from itertools import pairwise

WATCH_SECONDS = 8.0
"""How long to watch before anything is said."""
WINDOW_SECONDS = 60.0
"""What came before counts no longer: models are loaded first, and others may take their turn."""
AWAY_SECONDS = 15.0
"""Without a look for so long, nobody knows whether it went on."""
STOOD_STILL = 5.0
"""A step that takes so many times as long as any before it, and as a second, was one that others came before."""
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
        if not self._seen:
            self._seen.append((now, progress))
        elif progress > self._seen[-1][1]:
            steps = [later - earlier for (earlier, _), (later, _) in pairwise(self._seen)]
            if steps and now - self._seen[-1][0] > STOOD_STILL * max(1.0, *steps):
                self._seen.clear()
            self._seen.append((now, progress))
        while len(self._seen) > 2 and now - self._seen[0][0] > WINDOW_SECONDS:
            self._seen.popleft()
        (began, first), (latest, last) = self._seen[0], self._seen[-1]
        if latest - began < WATCH_SECONDS:
            return None
        left = (1 - last) * (latest - began) / (last - first) - (now - latest)
        return left if left >= LEAST_SECONDS else None
