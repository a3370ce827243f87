"""Words in any script: what augmentations delete, move and replace, and how replacements keep their capitals."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

CHARACTER = r"[\u2e80-\u2fdf\u3000-\u312f\u3190-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]"
"""Chinese characters and kana with their marks and full-width punctuation. Korean is left out: it is written with spaces."""
_LOCKED = r"[\ue000-\uf8ff]"
_CJK = re.compile(CHARACTER)
# One character with its combining marks, one lock, or a run of anything else, each with the space after it.
_UNIT = re.compile(
    rf"(?:{CHARACTER}[\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef]*|{_LOCKED}"
    rf"|(?:(?!{CHARACTER}|{_LOCKED})\S)+) ?"
)
_LOCK = re.compile(_LOCKED)
_WORD = re.compile(r"((?:[^\W_]|[\u0300-\u036f\ue000-\uf8ff])+(?:['’‐‑-](?:[^\W_]|[\u0300-\u036f\ue000-\uf8ff])+)*)")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]")

# Words that carry grammar rather than content, grouped so that a missing one is easy to see.
STOP_WORDS = frozenset(
    """
    a an the this that these those each every either neither some any no all both such same own other another
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one who whom whose which what whoever whatever
    am is are was were be been being do does did doing done have has had having can could will would shall should may
    might must ought
    i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll we're we've we'd
    we'll they're they've they'd they'll that's there's here's who's what's where's how's let's
    not nor don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't can't cannot couldn't won't wouldn't
    shan't shouldn't mightn't mustn't ain't
    and or but if because as until while although though unless since whether than so yet
    of at by for with about against between into through during before after above below to from up down in out on off
    over under upon within without along across behind beside beyond near toward towards around among per via onto
    again further then once here there when where why how very too only just also even still ever never quite rather
    more most few fewer less least much many
    """.split()  # noqa: SIM905
)


def locked(word: str) -> bool:
    """Whether `word` stands for or contains a protected span: it may be moved, and must not be changed otherwise.

    The caller replaces each protected span by one private-use character, called a lock.

    >>> locked("\\ue000,"), locked("word")
    (True, False)
    """
    return not word.isascii() and _LOCK.search(word) is not None


def words(text: str) -> list[str]:
    """The units of `text` that may be deleted, moved or swapped: what is between spaces.

    Chinese and Japanese, written without spaces, are cut into characters; Latin words and numbers among them stay whole, a
    lock is a unit, and a space among them stays with the unit before it. `joined` is the inverse.

    >>> words("two  words"), words("我用OK")
    (['two', 'words'], ['我', '用', 'OK'])
    """
    pieces = text.split()
    return _UNIT.findall(" ".join(pieces)) if _is_cut(text, len(pieces)) else pieces


def joined(units: list[str], like: str) -> str:
    """A text from the units of `words(like)`, or replacements of them, joined by spaces if the words of `like` are.

    For every text, `joined(words(text), text)` is the text with its white space normalised.

    >>> joined(["b", "a"], "a b"), joined(["好", "很"], "很好")
    ('b a', '好很')
    """
    if not _is_cut(like, len(like.split())):
        return " ".join(units)
    text = ""
    for unit in units:
        # Latin words that became neighbours need a space between them.
        text += f" {unit}" if text and _ends_open(text[-1]) and _ends_open(unit[:1]) else unit
    return " ".join(text.split())


def locked_places(text: str) -> set[int]:
    """Indices of all characters of locked words in `text`, whose white space is normalised.

    >>> sorted(locked_places("a \\ue000, b"))
    [2, 3]
    """
    found: set[int] = set()
    if text.isascii() or not _LOCK.search(text):
        return found
    start, gap = 0, int(not _is_cut(text, len(text.split())))
    for unit in words(text):
        if _LOCK.search(unit):
            found.update(range(start, start + len(unit)))
        start += len(unit) + gap
    return found


FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
"""A regular expression for a flag of two regional indicators, each of which is a letter in a box by itself."""
_STAYING = (0x200C, 0x200D, *range(0x1160, 0x1200), *range(0x1F3FB, 0x1F400), *range(0xE0020, 0xE0080))
"""Joiners, vowels and finals of Korean syllables that are written in parts, tones of emoji, and the tags of a flag."""


@cache
def marks() -> str:
    """A regular expression for what stays with the character before it: accents, vowel signs, and `_STAYING`."""
    planes = (*range(0x300, 0x20000), *range(0xE0100, 0xE01F0))  # the others have no marks
    found = {code for code in planes if unicodedata.category(chr(code))[0] == "M"} | {*_STAYING}
    usual = _ranges(code for code in found if code < 0x10000)
    # Looked for apart, since they are compared one by one.
    return f"(?:[{usual}]|(?=[\U00010000-\U000e01ef])[{_ranges(found - {*range(0x10000)})}])"


def _ranges(codes: Iterable[int]) -> str:
    """Characters by their code points, as what stands between brackets in a regular expression.

    >>> _ranges([97, 98, 99, 101])
    'a-ce-e'
    """
    runs: list[list[int]] = []
    for code in sorted(codes):
        if runs and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in runs)


@cache
def _marked() -> re.Pattern[str]:
    return re.compile(rf"{FLAG}{marks()}*|.{marks()}+(?:(?<=\u200d).{marks()}*)*", re.DOTALL)


def edges(text: str) -> tuple[list[int], list[int]]:
    """For each place from 0 to the length of `text`: it, or the start (then the end) of the character that it would cut in two.

    A character is one with its marks: a letter with its accents, a family of emoji, a flag.

    >>> edges("ae\u0301")
    ([0, 1, 1, 3], [0, 1, 3, 3])
    """
    starts = list(range(len(text) + 1))
    ends = starts.copy()
    for found in () if text.isascii() else _marked().finditer(text):
        inside = slice(found.start() + 1, found.end())
        starts[inside] = [found.start()] * (len(found[0]) - 1)
        ends[inside] = [found.end()] * (len(found[0]) - 1)
    return starts, ends


def tokens(text: str) -> list[str]:
    """Words and the stretches between them in turn: every odd index is a word, and joining them gives `text` again.

    A word is a run of letters and digits, possibly with apostrophes and hyphens inside; a lock counts as a letter.

    >>> tokens("Don't, he said.")
    ['', "Don't", ', ', 'he', ' ', 'said', '.']
    """
    return _WORD.split(text)


def like_case(model: str, word: str) -> str:
    """`word` in upper case, capitalised or in lower case as `model` is; unchanged if `model` is none of these.

    >>> like_case("DOG", "cat"), like_case("Dog", "cat"), like_case("dog", "Cat")
    ('CAT', 'Cat', 'cat')
    """
    if model.islower():
        return word.lower()
    if model.isupper() and sum(map(str.isalpha, model)) > 1:
        return word.upper()
    if model[:1].isupper() and not any(map(str.isupper, model[1:])):
        return word[:1].upper() + word[1:]
    return word


def english(text: str) -> bool:
    """Whether `text` has a Latin letter: methods for English return other texts unchanged.

    >>> english("ok"), english("今天 42")
    (True, False)
    """
    return _LATIN.search(text) is not None


def _is_cut(text: str, pieces: int) -> bool:
    """Whether the words of `text` are not separated by spaces: CJK without a space, or mostly CJK, more than four to a space."""
    if text.isascii():
        return False
    count = len(_CJK.findall(text))
    if pieces < 2:
        return count > 0
    return count > 4 * (pieces - 1) and 2 * count >= len("".join(_LOCK.sub("", text).split()))


def _ends_open(letter: str) -> bool:
    return letter.isalnum() and _CJK.match(letter) is None
