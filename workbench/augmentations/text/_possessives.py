"""Whether "her" and "his" are possessive ("her hat") or pronouns ("saw her", "it is his"), from the words around them."""

from workbench.augmentations.text._tags import Tagged, mainly_verb, tagged_tokens
from workbench.augmentations.text._verbs import TWO_OBJECTS, plural, readings, reads_as
from workbench.augmentations.text._words import tokens

# Take an object that does something: "saw her leave".
_SEE = frozenset("see hear watch feel notice observe let make help have find keep catch leave".split())  # noqa: SIM905
_LEAD = frozenset("take drive bring walk lead follow".split())  # "took her home"  # noqa: SIM905
_OWN = frozenset("own other many few several every two most".split())  # noqa: SIM905
_PAIRED = frozenset("his her their my your our its hers".split())  # noqa: SIM905
_DESCRIBES = frozenset(["ADJ", "NUM", "ADV"])


def owned(text: str) -> dict[int, bool]:
    """For each "her" and "his", keyed by its position in `text`: whether it is possessive.

    >>> owned("I saw her leave her house."), owned("She kissed her gently.")
    ({6: False, 16: True}, {11: False})
    """
    parts = tokens(text)
    words = tagged_tokens(parts)
    found, start = {}, 0
    for index, word in enumerate(words):
        start += len(parts[word.part_index - 1])
        if (low := word.word.lower()) in ("her", "his"):
            follows = _following(words, parts, index + 1)
            before = words[index - 1] if index and parts[word.part_index - 1] == " " else Tagged("", "", 0)
            found[start] = bool(follows) and (_own(follows, before) if low == "her" else _his(follows))
        start += len(word.word)
    return found


def _following(words: list[Tagged], parts: list[str], index: int) -> list[Tagged]:
    """The words after a pronoun up to the next mark; pairs such as "her or his" and "her/his" count as one pronoun."""
    found: list[Tagged] = []
    gap = parts[2 * index]
    if gap == "/" and index < len(words) and words[index].word.lower() in _PAIRED:
        return _following(words, parts, index + 1)
    joins = gap == " " and index + 1 < len(words) and words[index].word.lower() in ("and", "or")
    if joins and words[index + 1].word.lower() in _PAIRED and parts[2 * index + 2] == " ":
        return _following(words, parts, index + 2)
    if gap.rstrip("\"'“‘(") != " ":
        return []
    for word in words[index : index + 8]:
        if found and parts[word.part_index - 1].strip("\"'”’") != " ":
            break
        found.append(word)
    return found


def _his(follows: list[Tagged]) -> bool:
    first, tag, _ = follows[0]
    bare = tag in ("AUX", "ADP", "CONJ", "DET", "PRON", "PART") or (tag == "ADV" and len(follows) == 1)
    return first.lower() in _OWN or not bare


def _own(follows: list[Tagged], before: Tagged) -> bool:
    first, tag = follows[0].word.lower(), follows[0].tag
    if first == "own":
        return True
    verbs = {lemma for lemma, _ in readings(before.word.lower())}
    if verbs & _SEE and reads_as(first, "VB") and ("let" in verbs or mainly_verb(first)):
        return False  # "saw her leave"
    if tag == "VERB" and first.endswith("ing") and before.tag == "VERB":
        return False  # "heard her singing songs", not "of her singing"
    noun = _noun_ahead(follows)
    if noun < 0:  # "made her happy", not "with her happy and sad songs"
        gerund = tag == "VERB" and first.endswith("ing")
        return before.tag != "VERB" and (gerund or (tag == "ADJ" and len(follows) > 1))
    if first == "home" and verbs & _LEAD:
        return False
    if verbs & TWO_OBJECTS and not (noun + 1 < len(follows) and follows[noun + 1].tag in ("DET", "NUM", "PRON")):
        return tag != "NUM" and not plural(follows[noun].word.lower())  # "gave her (two) dogs", not "told her mother"
    return True


def _noun_ahead(follows: list[Tagged]) -> int:
    """Index of the last noun of the noun phrase that begins here; -1 if none does."""
    last = -1
    for place, (word, tag, _) in enumerate(follows):
        if tag in ("NOUN", "PROPN", "OTHER"):
            last = place
        elif last >= 0 or not (
            tag in _DESCRIBES
            or word.lower() in _OWN
            or (tag == "VERB" and (reads_as(word, "VBN") or word.endswith("ing")))
        ):
            break
    return last
