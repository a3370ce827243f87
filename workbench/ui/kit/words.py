"""Numbers, durations and untrusted text formatted for people."""

import math
import re
from html import escape as escape_html

from workbench.core.unbroken import unbroken
from workbench.core.unicode import unturned
from workbench.statistics.decimals import decimals_of

DASH = "–"
"""Shown where nothing was measured; never 0."""
SIGNS = {
    "queued": "◌ queued",
    "starting": "◔ starting",
    "running": "▶ running",
    "stopping": "◼ stopping",
    "saving": "◕ saving",
    "done": "● done",
    "stopped": "◼ stopped",
    "failed": "✕ failed",
    "lost": "? lost",
    "": "? damaged",
}
"""A symbol and a word for each state of a run, so that colour is never needed to tell them apart."""


def missing(value: object) -> bool:
    """Whether there is no number to show."""
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def score(value: float | None) -> str:
    """A correlation (-1..1) times 100, two decimals.

    >>> score(0.65432), score(-0.05), score(-0.00001), score(None)
    ('65.43', '−5.00', '0.00', '–')
    """
    return DASH if missing(value) else figure(100 * float(value or 0.0))


def interval(low: float | None, high: float | None) -> str:
    """The 95 % interval of a correlation or a share, times 100; see `decimals_of`.

    >>> interval(0.61, 0.69), interval(-0.0001, 0.1), interval(0.0005, 0.0007)
    ('61.0 to 69.0', '0.0 to 10.0', '0.05 to 0.07')
    """
    if missing(low) or missing(high):
        return ""
    lowest, highest = 100 * float(low or 0.0), 100 * float(high or 0.0)
    decimals = decimals_of(lowest, highest)
    return f"{figure(lowest, decimals)} to {figure(highest, decimals)}"


def figure(value: float | None, decimals: int = 2) -> str:
    """A plain figure: a cosine, a loss, an alignment. Uses a true minus sign.

    >>> figure(-1.6), figure(-0.001), figure(float("nan"))
    ('−1.60', '0.00', '–')
    """
    if missing(value):
        return DASH
    shown = f"{round(float(value or 0.0), decimals) + 0.0:,.{decimals}f}"
    return shown.replace("-", "−")


def count(value: int | None) -> str:
    """A whole number with thousands separators.

    >>> count(200000)
    '200,000'
    """
    return DASH if missing(value) else f"{int(value or 0):,}"


def share(value: float | None) -> str:
    """A fraction as a percentage.

    >>> share(0.584), share(0.0004)
    ('58 %', '0.04 %')
    """
    if missing(value):
        return DASH
    percent = 100 * float(value or 0.0)
    return f"{percent:.0f} %" if percent >= 10 or percent == 0 else f"{percent:.2g} %"


def duration(seconds: float | None) -> str:
    """A time span in words.

    >>> duration(72), duration(0.4), duration(7300)
    ('1 min 12 s', '0.4 s', '2 h 1 min')
    """
    if missing(seconds):
        return DASH
    seconds = max(0.0, float(seconds or 0.0))
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"


def estimated(seconds: float | None) -> str:
    """A time span that is not known exactly, in words: to a second, to ten from a minute on, to a minute from ten on.

    >>> estimated(199), estimated(2978), estimated(42.4), estimated(60 * 59.6), estimated(7.8), estimated(0.2)
    ('3 min 20 s', '50 min', '42 s', '1 h 0 min', '8 s', '1 s')
    """
    if missing(seconds):
        return DASH
    seconds = float(seconds or 0.0)
    if seconds < 59.5:
        return f"{max(1, round(seconds))} s"
    whole = 10 * round(seconds / 10) if seconds < 595 else 60 * round(seconds / 60)
    return duration(whole).removesuffix(" 0 s")


def size(size_bytes: float | None) -> str:
    """A file size.

    >>> size(1_500_000)
    '1.5 MB'
    """
    if missing(size_bytes):
        return DASH
    amount = float(size_bytes or 0)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def plain(text: object) -> str:
    """Untrusted text for a place that renders Markdown: every character with a meaning is escaped.

    >>> plain("a *b* $c$")
    'a \\\\*b\\\\* \\\\$c\\\\$'
    """
    line = unbroken(unturned(str(text)).replace("\n", " "))
    return re.sub(r"([\\`*_\[\]<>$~#|:!])", r"\\\1", line)


def plain_coded(text: object) -> str:
    """Untrusted text for a place that renders Markdown; text in backticks is set as code.

    >>> plain_coded("set `dedup_batch` *now*")
    'set `dedup_batch` \\\\*now\\\\*'
    """
    parts = re.split(r"`([^`]+)`", unturned(str(text)).replace("\n", " "))
    return "".join(f"`{part}`" if place % 2 else plain(part) for place, part in enumerate(parts))


def html(text: object) -> str:
    """Untrusted text for a place that renders HTML.

    >>> html("<b>")
    '&lt;b&gt;'
    """
    return escape_html(unturned(str(text)), quote=True)


def announced(about: str, news: str) -> str:
    """Attributes of an HTML element that has news about something: screen readers say them once (assets/scrolling.js).

    >>> announced("state", "It is finished.")
    ' data-about="state" data-says="It is finished."'
    """
    return f' data-about="{html(about)}" data-says="{html(news)}"'


def coded(text: object) -> str:
    """Untrusted text as HTML; text in backticks is set as code.

    >>> coded("run `a<b`")
    'run <code>a&lt;b</code>'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html(text))


_NAMES = {
    "margin_deg": "Margin, degrees",
    "beyond_pi": "Beyond 180 degrees",
    "eda_clean": "EDA cleaning",
    "drophead": "Attention head dropout",
    "dedup_batch": "No duplicate texts in a batch",
    "clip": "Gradient clipping norm",
    "parts": "Micro-batches",
    "memory_parts": "Memory-saving chunks",
    "threads": "CPU threads",
    "warmup": "Warm-up, fraction of steps",
    "stair": "Staircase steps",
    "bias_correction": "AdamW bias correction",
    "smoothing": "RMSprop smoothing",
    "max_length": "Maximum length, tokens",
    "pairs": "Pair sets",
    "patience": "Patience, evaluations",
    "k1": "BM25 term saturation, k1",
    "b": "BM25 length normalisation, b",
}
"""Labels of settings whose names alone say too little."""


def label_of(setting: str) -> str:
    """The label of a setting.

    >>> label_of("learning_rate"), label_of("margin_deg")
    ('Learning rate', 'Margin, degrees')
    """
    return _NAMES.get(setting) or setting.replace("_", " ").capitalize()


def join_names(names: list[str], most: int = 6) -> str:
    """Names joined for a sentence.

    >>> join_names(["a", "b", "c"])
    'a, b and c'
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part) if names else ""
