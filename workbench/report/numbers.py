"""Numbers, times and commands as every format of a report writes them."""

import re
from datetime import UTC, datetime

from workbench.plots.takeaway import DASH, number
from workbench.statistics.decimals import decimals_of, signed

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_OVER = r":\s|\s[~/\\]|\.[A-Za-z]\w{0,5}[\s:]"
"""Where a path with spaces is over and a sentence goes on: at a colon, at the next path, or after the ending of a file."""
_SPACED = re.compile(rf"(^['\"]?|@)(?:~|[A-Za-z]:)?[/\\](?:(?!{_OVER})[^'\",;@#|\n])*[/\\](?=[^'\",;@#|/\\])")
_REFERENCE = re.compile(r"(?:\w+:\w+@)?(?:~|[A-Za-z]:)?[/\\]")
"""How a path begins, or a reference that ends with one."""
_FOLDERS = re.compile(r"(?<![\w.:/\\])(?:~|[A-Za-z]:)?[/\\][^\s'\",;@#|]*[/\\](?=[^\s'\",;@#|/\\])")


def points(value: float | None, digits: int = 2) -> str:
    """A correlation times 100.

    >>> points(0.65432), points(-0.05), points(None)
    ('65.43', '−5.00', '–')
    """
    return number(None if value is None else 100 * float(value), digits)


def span(low: float | None, high: float | None, *, sign: bool = False) -> str:
    """An interval of correlations times 100, see `decimals_of`; empty where it is not known.

    >>> span(0.61, 0.694), span(-0.01, 0.02, sign=True), span(0.9995, 0.9997), span(float("nan"), 1.0)
    ('61.0 to 69.4', '−1.0 to +2.0', '99.95 to 99.97', '')
    """
    if low is None or high is None or low != low or high != high:
        return ""
    form = signed if sign else points
    digits = decimals_of(100 * low, 100 * high)
    return f"{form(low, digits)} to {form(high, digits)}"


def count(value: float | None) -> str:
    """A whole number with thousands separators; a dash where it is unknown.

    >>> count(12345.0), count(None)
    ('12,345', '–')
    """
    return DASH if value is None or value != value else f"{int(value):,}"


def counted(number: int, noun: str) -> str:
    """So many of something, whose plural ends in s.

    >>> counted(1, "training"), counted(1200, "pair")
    ('1 training', '1,200 pairs')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def duration(seconds: float | None) -> str:
    """A time span.

    >>> duration(72), duration(7300), duration(4.21)
    ('1 min 12 s', '2 h 1 min', '4.2 s')
    """
    if seconds is None or seconds != seconds:
        return DASH
    whole = round(seconds)
    if seconds < 10:
        return f"{seconds:.1f} s"
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"


def moment(seconds: float | None) -> str:
    """A time, to the second, in UTC.

    >>> moment(0.0), moment(None)
    ('1970-01-01 00:00:00 UTC', '–')
    """
    return DASH if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def without_folders(text: str) -> str:
    """A text in which every absolute path is shortened to its last part, since a report is handed to others.

    >>> without_folders("--corpus /data/mine/a.txt --pairs stsb:test@/data/sts"), without_folders("and/or 3/4 http://a.b/c")
    ('--corpus a.txt --pairs stsb:test@sts', 'and/or 3/4 http://a.b/c')
    >>> without_folders("SimCSE /2 epochs +/-"), without_folders("--corpus '/mnt/Alice Smith/a b.txt' --out b/c")
    ('SimCSE /2 epochs +/-', "--corpus 'a b.txt' --out b/c")
    >>> without_folders("stsb:test@/mnt/My Drive/sts"), without_folders(r"C:\\Users\\Alice Smith\\x.csv")
    ('stsb:test@sts', 'x.csv')
    >>> without_folders("/data/x.csv: 3/4 rows"), without_folders("/data/my set/a.txt and /other/b.txt")
    ('x.csv: 3/4 rows', 'a.txt and b.txt')
    """
    if _REFERENCE.match(text):
        text = _SPACED.sub(r"\1", text)
    return _FOLDERS.sub("", _QUOTED.sub(lambda quoted: _SPACED.sub(r"\1", quoted[0]), text))


def file_name(text: str, most: int = 60) -> str:
    """A text as the name of a file: its letters and digits, joined by dashes.

    >>> file_name("Does SCD beat SimCSE?"), file_name("?!")
    ('does-scd-beat-simcse', 'report')
    """
    return re.sub(r"[\W_]+", "-", text.casefold()).strip("-")[:most].strip("-") or "report"


def times(count_of: int) -> str:
    """How often something happened.

    >>> times(1), times(2), times(1200)
    ('once', 'twice', '1,200 times')
    """
    return {1: "once", 2: "twice"}.get(count_of, f"{count_of:,} times")
