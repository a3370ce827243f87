"""Which older encoding a text in another script than the Latin one is in, by what its letters would be."""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass

SAMPLE_BYTES = 1 << 16
"""The lines with bytes beyond ASCII that are looked at, in bytes."""
_FEW_BYTES = 12
_HIGH = re.compile(rb"[\xa1-\xaa\xac-\xba\xbc-\xff]")
"""Bytes beyond ASCII, but for those that are quotes, dashes and spaces in Windows-1252."""
_LONG = re.compile(_HIGH.pattern + rb"{3,}")
_FEW_LETTERS = 6
_MOST = 0.9
_NEARLY_ALL = 0.95
_KANA = re.compile("[\u3041-\u30ff]")
_LEAST_KANA = 0.2
_HANGUL = re.compile("[\uac00-\ud7a3]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_FREQUENT = re.compile("[оеаинтсрвлкмді]", re.IGNORECASE)
"""The most frequent letters of languages in Cyrillic script: more than two thirds of their texts."""
_LEAST_FREQUENT = 0.65
_VOWELS = re.compile("[аеёиоуыэюяіїє]", re.IGNORECASE)
_LEAST_VOWELS = 0.33
_SMALL = re.compile("[а-яѐ-џ]")
_WITHIN = re.compile("[а-яё](?=[А-ЯЁ])")
"""A capital within a word: what small letters become if a text is read in the wrong one of two encodings."""
_MOST_WITHIN = 0.02


def _share(kind: re.Pattern[str], words: str) -> float:
    return len(kind.findall(words)) / (len(words) - words.count(" "))


def _frequent(words: str, codec: str, last: int) -> float:
    """The share of characters that a national standard has among its frequent ones, which come first: up to the byte `last`."""
    first = [(letter.encode(codec, "ignore") or b"\0")[0] for letter in words if letter != " "]
    return sum(0xA1 <= byte <= last for byte in first) / len(first)


def _is_japanese(words: str) -> bool:
    return _share(_KANA, words) >= _LEAST_KANA and _frequent(words, "euc_jp", 0xCF) >= _MOST


def _is_cyrillic(words: str) -> bool:
    return (
        _share(_CYRILLIC, words) >= _NEARLY_ALL
        and _share(_FREQUENT, words) >= _LEAST_FREQUENT
        and _share(_VOWELS, words) >= _LEAST_VOWELS
        and _share(_SMALL, words) > 0.5  # letters of Hebrew, which has no capitals, would be Russian capitals in KOI8
        and _share(_WITHIN, words) <= _MOST_WITHIN
    )


def _is_korean(words: str) -> bool:
    return _share(_HANGUL, words) >= _NEARLY_ALL


def _is_traditional(words: str) -> bool:
    return _frequent(words, "cp950", 0xC6) >= _NEARLY_ALL


def _is_simplified(words: str) -> bool:
    return _frequent(words, "gb2312", 0xD7) >= _MOST


@dataclass(frozen=True)
class Encoding:
    """An encoding, as Python and as people call it, and whether words beyond ASCII are those of a text in it."""

    codec: str
    name: str
    fits: Callable[[str], bool]


ENCODINGS = (
    # Bytes of a text in another encoding may be Chinese characters too, frequent ones even: GB18030 comes last.
    Encoding("cp932", "Shift_JIS (Japanese)", _is_japanese),
    Encoding("euc_jp", "EUC-JP (Japanese)", _is_japanese),
    Encoding("cp949", "EUC-KR (Korean)", _is_korean),
    Encoding("cp950", "Big5 (Chinese)", _is_traditional),
    Encoding("cp1251", "Windows-1251 (Cyrillic)", _is_cyrillic),
    Encoding("koi8_u", "KOI8 (Cyrillic)", _is_cyrillic),
    Encoding("gb18030", "GB18030 (Chinese)", _is_simplified),
)


def is_latin(sample: bytes) -> bool:
    """Whether lines in an encoding other than UTF-8 may be in Latin script: accented letters stand there alone or in twos.

    >>> is_latin("Tämä sää ei ole hyvää.".encode("cp1252")), is_latin("Сегодня хорошая погода.".encode("cp1251"))
    (True, False)
    """
    long = sum(map(len, _LONG.findall(sample)))
    return long < _FEW_BYTES or long <= 0.5 * len(_HIGH.findall(sample))


def told_script(sample: bytes) -> Encoding | None:
    """The encoding of lines in another script than the Latin one; None if they are in that, or in none known here. The last
    character may be cut.

    >>> told_script("今天天气很好，我们去公园吧。".encode("gb2312")).name
    'GB18030 (Chinese)'
    """
    # In Shift_JIS, only every other byte of a syllable looks like a letter.
    for encoding in ENCODINGS[:1] if is_latin(sample) else ENCODINGS:
        try:
            text = codecs.getincrementaldecoder(encoding.codec)().decode(sample)
        except UnicodeDecodeError:
            continue
        words = "".join(letter if letter > "\x7f" and letter.isalpha() else " " for letter in text)
        if len(words) - words.count(" ") >= _FEW_LETTERS and encoding.fits(words):
            return encoding
    return None
