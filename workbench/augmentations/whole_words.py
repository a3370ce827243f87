"""Which entries of a model's vocabulary are whole words, not parts of one, punctuation or special tokens."""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_CONTINUES = "##"  # WordPiece: the token continues the word before it
_BEGINS = ("Ġ", "▁")  # byte-level BPE and SentencePiece: the token begins a word
_LETTERS = frozenset("aio")  # other single Latin letters are fragments: the t of don't


def whole_words(vocabulary: Sequence[str], specials: Sequence[str] = ()) -> list[str]:
    """For each token of a vocabulary the word it stands for, or "" if it is not a word: same length, same order.

    The tokens show how words begin: `##` marks the rest of a word, `Ġ` or `▁` the start of one, and a vocabulary without any
    of these marks has whole words only.

    >>> whole_words(["[MASK]", "dog", "##s", "t", "a", "."], ["[MASK]"])
    ['', 'dog', '', '', 'a', '']
    """
    begins = next((mark for mark in _BEGINS if sum(token.startswith(mark) for token in vocabulary) > 1), "")
    decoded = _bytes() if begins == "Ġ" else None
    continued = not begins and any(token.startswith(_CONTINUES) for token in vocabulary)
    return ["" if token in specials else _word(token, begins, continued, decoded) for token in vocabulary]


def vocabulary_of(tokenizer: "PreTrainedTokenizerBase") -> list[str]:
    """The tokens of a Hugging Face tokenizer, by id; ids without a token are empty."""
    ids: dict[str, int] = tokenizer.get_vocab()
    tokens = [""] * (max(ids.values()) + 1)
    for token, place in ids.items():
        tokens[place] = token
    return tokens


def is_word(text: str) -> bool:
    """Whether `text` is a word: letters, with apostrophes and hyphens allowed inside; of single Latin letters only a, i, o.

    >>> is_word("rock-n-roll"), is_word("'s"), is_word("t"), is_word("好")
    (True, False, False, True)
    """
    if not text or not (text[0].isalpha() and is_letter(text[-1])):
        return False
    if len(text) == 1:
        return not text.isascii() or text.lower() in _LETTERS
    return text.isalpha() or all(is_letter(sign) or sign in "'’-" for sign in text)


def is_letter(sign: str) -> bool:
    """Whether `sign` is a letter, or a mark that combines with one, such as a vowel sign of Hindi."""
    return sign.isalpha() or combines(sign)


def combines(sign: str) -> bool:
    """Whether `sign` is a mark that combines with the letter before it: a combining accent, a vowel sign.

    >>> combines("\u0301"), combines("é")
    (True, False)
    """
    return not sign.isascii() and category(sign)[0] == "M"


def _word(token: str, begins: str, continued: bool, decoded: dict[str, int] | None) -> str:
    if begins:
        if not token.startswith(begins):
            return ""
        token = token[1:]
    elif continued and token.startswith(_CONTINUES):
        return ""
    if decoded is not None:
        try:
            token = bytes(decoded[letter] for letter in token).decode("utf-8")
        except (KeyError, UnicodeDecodeError):
            return ""
    return token if is_word(token) else ""


def _bytes() -> dict[str, int]:
    """The byte of each character in byte-level BPE: printable bytes are written as themselves, others from 256 on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [value for value in range(256) if value not in plain]
    return {chr(value): value for value in plain} | {chr(256 + place): value for place, value in enumerate(rest)}
