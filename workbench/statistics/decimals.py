"""With how many decimals an interval is shown."""


def decimals_of(low: float, high: float) -> int:
    """Of an interval of percentages or of correlations times 100: one, or two if it is narrower than a point, since with one it
    might seem to leave out what it is of.

    >>> decimals_of(61.0, 69.0), decimals_of(0.05, 0.07)
    (1, 2)
    """
    return 1 if high - low >= 1 else 2
