"""With how many decimals an interval and a difference are shown."""

import math

_MOST = 4


def decimals_of(low: float, high: float) -> int:
    """Of an interval of percentages or of correlations times 100: one, or two if it is narrower than a point, since with one it
    might seem to leave out what it is of. More, up to four, if it is so narrow that both its ends would look the same.

    >>> decimals_of(61.0, 69.0), decimals_of(0.05, 0.07), decimals_of(0.0033, 0.0039), decimals_of(1.0, 1.0)
    (1, 2, 4, 2)
    """
    width = high - low
    if width >= 1:
        return 1
    return min(_MOST, max(2, math.ceil(-math.log10(width)))) if width > 0 else 2


def signed(value: float | None, digits: int = 2) -> str:
    """A difference of correlations times 100, with its sign, which tells on which side of 0 it lies where it rounds to 0; a dash
    where it is missing.

    >>> signed(0.0123), signed(-0.0123), signed(0.0), signed(-0.00001), signed(None)
    ('+1.23', '−1.23', '+0.00', '−0.00', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    return f"{'−' if value < 0 else '+'}{abs(100 * value):.{digits}f}"


def signed_difference(delta: float, low: float, high: float) -> str:
    """`signed`, with at least two decimals and as many as its interval has.

    >>> signed_difference(-0.000036, -0.000039, -0.000033), signed_difference(0.02, 0.01, 0.03)
    ('−0.0036', '+2.00')
    """
    return signed(delta, max(2, decimals_of(100 * low, 100 * high)))
