"""The words, clitics and marks of a text with parts of speech, from the tagger and their neighbours: input of the rule parse."""

import re

from workbench.augmentations.text._abbreviations import abbreviated
from workbench.augmentations.text._tags import tagged_tokens
from workbench.augmentations.text._verbs import plural, reads_as
from workbench.augmentations.text._words import tokens

SUBJECTS = frozenset(
    """
    i you he she it we they this that these those there who what which where here how when why everyone everybody
    someone somebody nobody something nothing
    """.split()  # noqa: SIM905
)
OBJECT_ONLY = frozenset(
    """
    me him us them myself yourself himself herself itself ourselves themselves
    """.split()  # noqa: SIM905
)
INNER = ("NOUN", "ADJ", "NUM")
APART = "\"“”'‘’()[]{}—–…"  # marks that separate words without a space
_ENDINGS = frozenset(["s", "re", "ve", "ll", "d", "m"])
_CLITIC = re.compile(r"(?<=\w)(n['’]t|['’](?:s|re|ve|ll|d|m))$", re.IGNORECASE)
_BEFORE_NOUN = ("NOUN", "PROPN", "ADJ", "NUM", "VERB")
_ANYBODY = ("one", "body", "thing")


def rows(text: str) -> list[tuple[int, int, str]]:
    """(start, end, part of speech) of each word, clitic and mark. "1.5", "10:30", "U.S.", ".NET" and addresses are one word."""
    parts = tokens(text)
    kinds = {place: tag for _, tag, place in tagged_tokens(parts)}
    found: list[tuple[int, int, str]] = []
    start, glued, torn, dotted = 0, False, False, False
    for place, part in enumerate(parts):
        end = start + len(part)
        if place % 2 == 0:
            inside = 0 < place < len(parts) - 1 and " " not in part
            torn = inside and part[-1] in "'’" and parts[place + 1].lower() in _ENDINGS  # "U.S.'s"
            glued = inside and not torn and not any(mark in APART for mark in part)
            dotted = place + 1 < len(parts) and (part[-2:] in (" .", "<.") or (part == "." and not place))
            if glued:
                found[-1] = (found[-1][0], end, found[-1][2])
            else:
                if place and part[:1] == "." and abbreviated(text, start):
                    found[-1] = (found[-1][0], start + 1, found[-1][2])
                    start += 1
                marks = [at for at in range(start, end - torn - dotted) if text[at] != " "]
                found += [(at, at + 1, "PUNCT") for at in marks]
        elif glued:
            kind = kinds[place] if text[start - 1] != "." else "PROPN" if part[0].isupper() else "NOUN"
            found[-1] = (found[-1][0], end, "NUM" if part[0].isdigit() else kind)
        elif torn:
            found.append((start - 1, end, "CLITIC"))
        else:
            start -= dotted
            clitic = _CLITIC.search(part) if part[-1] in "tTsSeElLdDmM" else None
            if clitic and part.lower() not in ("let's", "let’s"):
                found.append((start, end - len(clitic[0]), kinds[place]))
                found.append((end - len(clitic[0]), end, "CLITIC"))
            else:
                found.append((start, end, kinds[place]))
        start = end
    return found


def put_right(words: list[str], pos: list[str], deps: list[str], heads: list[int]) -> None:
    """Correct parts of speech in place, where clitics and neighbouring words say more than the tagger knows."""
    seen = False  # whether this clause has had a verb
    for place, kind in enumerate(pos):
        word, before = words[place], pos[place - 1] if place else ""
        after = pos[place + 1] if place + 1 < len(pos) else ""
        if kind == "CLITIC":
            if word == "n't":
                pos[place], deps[place] = "PART", "neg"
                pos[place - 1] = "AUX"
            elif word == "'s" and _owns(words, pos, place, before, after):
                pos[place], deps[place], heads[place] = "PART", "case", place - 1
                pos[place - 1] = before if before in ("NOUN", "PROPN", "PRON", "PUNCT") else "NOUN"
                if after == "VERB":
                    pos[place + 1] = "NOUN"
            else:
                pos[place] = "AUX"
                if before not in ("NOUN", "PROPN", "ADV"):
                    pos[place - 1] = "PRON"
        elif word in ("not", "never"):
            pos[place], deps[place] = "PART", "neg"
        elif kind == "PUNCT":
            if word in ("'", "’") and before in ("NOUN", "PROPN") and words[place - 1].endswith("s") and after in INNER:
                pos[place], deps[place], heads[place] = "PART", "case", place - 1  # "the animals' tails"
            else:
                deps[place] = "punct"
        elif kind == "CONJ" and word in ("and", "or", "but", "nor", "yet"):
            deps[place] = "cc"
        elif kind == "VERB" and word.endswith("s") and before in _BEFORE_NOUN and plural(word):
            # "Small jobs", "swap uniforms"; after a noun if the verb is another word: "Turkish words tend", "has dust spots".
            follows = after in ("VERB", "AUX") and not words[place + 1].endswith("ing")
            if before in ("ADJ", "NUM", "VERB") or seen or follows:
                pos[place] = "NOUN"
        elif kind == "VERB" and after == "NOUN" and _describes(word, before):
            pos[place] = "ADJ"
        elif kind == "NOUN" and (
            (before in ("NOUN", "PROPN", "PART") and _does(words, place)) or _continues(words, pos, place)
        ):
            pos[place] = "VERB"
        if pos[place] in ("PUNCT", "CONJ") or (pos[place] == "PRON" and word in SUBJECTS):
            seen = False
        elif pos[place] == "AUX" or (pos[place] == "VERB" and not word.endswith("ing")):
            seen = True


def _describes(word: str, before: str) -> bool:
    """Whether a participle before a noun belongs to it: "a dripping frame", "dented lockers"."""
    if word.endswith("ing"):
        return before in ("DET", "ADJ")
    return word.endswith("ed") and before in ("DET", "ADJ", "ADP", "")


def _owns(words: list[str], pos: list[str], index: int, before: str, after: str) -> bool:
    """Whether this "'s" is a possessive: "the dog's tail", and not "the dog's eaten it"."""
    if words[index - 1] in SUBJECTS:  # of these only "someone", "nobody" and similar take a possessive
        later = pos[index + 2] if index + 2 < len(words) else ""
        noun_next = after in ("NOUN", "PROPN") or (after in ("ADJ", "NUM") and later in ("NOUN", "PROPN"))
        return words[index - 1].endswith(_ANYBODY) and noun_next
    if after == "VERB":
        following = words[index + 1]
        if following.endswith("ing"):  # "at her friend's urging": another word is the verb
            others = (
                kind == "AUX" or (kind == "VERB" and not word.endswith("ing"))
                for kind, word in zip(pos, words, strict=True)
            )
            return before in ("NOUN", "PROPN") and any(others)
        return before in ("NOUN", "PROPN") and (reads_as(following, "VB", "VBZ") or following.endswith("ed"))
    return before in ("NOUN", "PROPN", "NUM") or after in ("NOUN", "PROPN", "ADJ", "NUM")


def _does(words: list[str], index: int) -> bool:
    """Whether what looks like a noun is a verb, because an object follows ("the dog bit him") or "never" comes before."""
    object_next = index + 1 < len(words) and words[index + 1] in OBJECT_ONLY
    return (object_next or words[index - 1] == "never") and reads_as(words[index], "VBD", "VBZ")


def _continues(words: list[str], pos: list[str], index: int) -> bool:
    """Whether the last word of a clause is the second verb of its subject: "he cuts and runs", not "for cuts and burns"."""
    ends = index + 1 == len(words) or pos[index + 1] == "PUNCT"
    if index < 3 or not ends or words[index - 1] not in ("and", "or", "but") or not reads_as(words[index], "VBZ"):
        return False
    last, first = index - 2, index - 2
    if pos[last] not in ("VERB", "ADV", "ADP") and words[last] not in OBJECT_ONLY | {"it", "you"}:
        return False
    while first and pos[first] not in ("VERB", "PUNCT", "CONJ"):
        first -= 1
    return pos[first] == "VERB" and reads_as(words[first], "VBZ")
