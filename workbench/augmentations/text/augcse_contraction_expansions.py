"""AugCSE's contractions: "can't" becomes "cannot", and "cannot" becomes "can't"."""

import json
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Annotated, Literal

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._lists import AFTER, BEFORE, any_of, rewritten
from workbench.augmentations.text._tags import tagged_tokens
from workbench.augmentations.text._verbs import AFTER_HAS, plural, reads_as
from workbench.augmentations.text._words import like_case, tokens
from workbench.core.method import Knob, Method

# Entries of the package that are not used: not contractions in today's spelling, wrong ("he've": "he have"), dialect that
# expands into something nobody says ("o'clock": "of the clock"), and the two ambiguous endings, which have rules below.
_NOT_TAKEN = frozenset(
    """
    o' o'clock ma'am gon't shalln't he've you'll've how'd'y ain't 'cause y'all'd
    """.split()  # noqa: SIM905
)
# Auxiliaries that contract with "not", and the contraction.
_WITH_NOT = {
    "are": "aren't",
    "can": "can't",
    "could": "couldn't",
    "did": "didn't",
    "do": "don't",
    "does": "doesn't",
    "had": "hadn't",
    "has": "hasn't",
    "have": "haven't",
    "is": "isn't",
    "might": "mightn't",
    "must": "mustn't",
    "need": "needn't",
    "shall": "shan't",
    "should": "shouldn't",
    "was": "wasn't",
    "were": "weren't",
    "will": "won't",
    "would": "wouldn't",
}
_RARELY_CONTRACTED = frozenset(["might", "need", "shall"])  # expanded when found, never made
_SUBJECTS = {
    "am": "i",  # also before "not", where the other auxiliaries contract with "not"
    "are": "you|we|they",
    "is": "he|she|it|that|there|what|who|where",
    "has": "he|she|it|that|there|who",
    "have": "i|you|we|they",
    "will": "i|you|he|she|it|we|they|that|there",
    "would": "i|you|he|she|we|they",
}
_SHORT = {"am": "m", "are": "re", "is": "s", "has": "s", "have": "ve", "will": "ll", "would": "d"}
_INVERTED = "i|you|he|she|it|we|they|there"  # "don't you ...?" is "do you not ...?"
_NO_OBJECT = "i|he|she|we|they"
_IS_OR_HAS = re.compile(r"(?:is|are|was|were|has|have|had)n", re.IGNORECASE)
# What stands before a question: nothing, a mark, "But", a question word that is no subject; or only perhaps.
_ASKS = re.compile(
    r"""(?:(?:^|[.!?;:…—–/¿]["'”’)]*|\s-|\s(?=["'“‘’(\[]))\s*["'“‘’(\[]*(?:(?:and|but|or|so|then|well|oh|no|yes)\s+)?"""
    r"|\b(?:why|how|when|where)\s+)$",
    re.IGNORECASE,
)
_MAY_ASK = re.compile(r"(?P<subject>\b(?:what|who|whom|which)\s+)$|,\s*[\"'’]?$", re.IGNORECASE)
_STOP = re.compile(r"[.!?;](?!\w)")
_AT_END = re.compile(r"\s*(?:$|[.!?;,:)\"”’](?!\w))")
_ADVERB = (
    r"(?:already|always|never|ever|just|also|only|not|now|long|since|recently|finally|probably|really|still|[a-z]+ly)"
)
_NEXT = re.compile(rf"(?: {_ADVERB}\b)* ([a-z]+)(?: ([a-z]+))?", re.IGNORECASE)
_OWNERS = ("one", "body", "thing")  # as often possessive as contracted before "'s"
# After these words "it is" is stressed and not contracted: "what it is to be", "better than it is now".
_STRESSED = re.compile(r"\b(?:what|who|where|how|as|than|whatever|like)$", re.IGNORECASE)
# "He's taken the ..." is "has", "it's taken from ..." is "is": what follows decides. "He's wanted to go" is "has".
_HAS_BEFORE_TO = frozenset("agreed decided failed learned learnt managed refused tried wanted".split())  # noqa: SIM905
# Before these it is always "is".
_NAMED = frozenset(["called", "named", "born", "supposed"])
_ALWAYS_IS = _NAMED | {"said", "put", "set"}
# Subjects of "are" and "have", besides plurals.
_MANY = frozenset("you y'all yall we they these those all both people folks some many".split())  # noqa: SIM905
_OBJECT = frozenset(
    """
    the a an my your his her its our their this that these those me you him it us them some any no
    """.split()  # noqa: SIM905
)


def augcse_contraction_expansions(
    text: str,
    *,
    direction: Annotated[
        Literal["both", "expand", "contract"], Knob(help="What is rewritten: contractions, full forms, or both.")
    ] = "both",
    rng: Random,
) -> str:
    """`text` with contractions expanded and full forms contracted, the longest form first, in the same case.

    "'s" is "has" before "been", "got", other participles with an object and those that never have one, else "is";
    possessives stay, also after "someone" and similar words. "'d" is "had" before "better" and participles, else
    "would". "Ain't" becomes "is not", "am not" or "are not" to match its subject, and "has not" or "have not" before
    participles with an object and those that never have one; before the subject it stays. Every draw gives the same text.

    Prefer it over `augcse_synonym_substitution` when no content word may change; a text without any of these forms
    comes back unchanged.

    >>> augcse_contraction_expansions("He's late and I cannot wait.", rng=Random(0))
    "He is late and I can't wait."
    """
    clean = normalised(text)
    apostrophe = "’" if "’" in clean else "'"

    def change(match: "re.Match[str]") -> str:
        kind = match.lastgroup or ""
        made = _expanded(match, kind, clean) if kind.startswith("long") else _contracted(match, kind, clean)
        if made is None:
            return match[0]
        made = made.replace("'", apostrophe)
        if subject := match.groupdict().get("long_subject") or match.groupdict().get("ask_subject"):
            return _cased(match[0].split(" ")[0], made, clean.isupper()).replace("{}", subject)
        return _cased(match[0], made, clean.isupper())

    return rewritten(_pattern(direction), clean, change)


def _cased(old: str, new: str, capitals: bool) -> str:
    """`new` in the case of `old`, "I" always a capital; "I'M" gives "I AM" only in a text in capitals, else "I am"."""
    letters = old.replace("’", "'")
    if letters[:2] in ("I'", "I ") and not (letters[2:].isupper() and (capitals or len(letters) > 3)):
        return new[:1].upper() + new[1:]
    cased = like_case(old.lstrip("'’"), new)
    cased = cased[:1].upper() + cased[1:] if old[:1].isupper() else cased  # "It Is" as well
    return re.sub(r"\bi\b", "I", cased) if not old.isupper() else cased


def _is_question(match: "re.Match[str]", text: str) -> bool:
    """Whether the pronoun after "n't" is its subject: "why don't you", "..., isn't it?", not "it isn't you", "he isn't there"."""
    before, after = text[max(0, match.start() - 60) : match.start()], text[match.end() :]
    subject = match["long_subject"].lower()
    if _ASKS.search(before):
        return True
    stop = _STOP.search(after)
    if (may := _MAY_ASK.search(before)) and stop and stop[0] == "?":
        return not (may["subject"] and subject == "there")
    # Without a comma or a question mark, "you like it don't you." is one if no object can be meant: "it isn't you."
    helps = not _IS_OR_HAS.match(match[0])
    return subject != "there" and _AT_END.match(after) is not None and (helps or subject in _NO_OBJECT.split("|"))


def _expanded(match: "re.Match[str]", kind: str, text: str) -> str | None:
    old = match[0].lower().replace("’", "'")
    if kind == "long_not":
        short, _, subject = old.partition(" ")
        full = f"{_not_contracted()[short]} not"
        if subject and _is_question(match, text):
            return full.replace(" ", " {} ")
        return ("cannot" if short == "can't" else full) + (" {}" if subject else "")
    if kind == "long_aint":
        if re.match(rf" (?:{_INVERTED})\b", text[match.end() :], re.IGNORECASE):
            return None
        subject = text[max(0, match.start() - 30) : match.start()].rstrip().rpartition(" ")[2]
        named, subject = subject[:1].isupper() and not subject.isupper(), subject.lower().replace("’", "'")  # "James"
        many = subject in _MANY or (not named and subject.isalpha() and plural(subject))
        if _has_done(*_next_two(text, match.end())):
            return "have not" if many or subject == "i" else "has not"
        return "am not" if subject == "i" else "are not" if many else "is not"
    if kind == "long_other":
        return _entries()[old]
    subject, _, ending = old.partition("'")
    first, second = _next_two(text, match.end())
    if ending == "s":
        if subject.endswith(_OWNERS) and _owned(text[match.end() :]):
            return None
        return f"{subject} {'has' if _is_perfect(first, second) else 'is'}"
    if first in ("better", "best") or (reads_as(first, "VBN") and not reads_as(first, "VB")):
        return f"{subject} had"
    if subject in ("how", "what", "where", "why", "when"):
        return f"{subject} did"
    return f"{subject} would"


def _next_two(text: str, end: int) -> tuple[str, str]:
    """The first words after `end` that are no adverbs, in lower case; empty where there are none."""
    following = _NEXT.match(text, end)
    return ((following[1] or "").lower(), (following[2] or "").lower()) if following else ("", "")


def _has_done(first: str, second: str) -> bool:
    """Whether "ain't" before these words is "has not": "ain't seen nothing", "ain't been there", not "ain't seen as good"."""
    if first in AFTER_HAS:
        return True
    done = second in _OBJECT or second.endswith(("thing", "body"))
    return done and first not in _NAMED and reads_as(first, "VBN") and not reads_as(first, "VBG")


def _owned(following: str) -> bool:
    """Whether a noun phrase without an article follows, or nothing: "someone's (red) car", not "someone's late"."""
    parts = tokens(following[:60])
    for word, tag, place in tagged_tokens(parts):
        if parts[place - 1].strip(' "“‘'):
            return place == 1
        if tag in ("NOUN", "PROPN", "OTHER") or word.lower() == "own":
            return True
        if tag not in ("ADJ", "ADV", "NUM") and not (tag == "VERB" and reads_as(word, "VBN")):
            return False
    return len(parts) == 1


def _is_perfect(first: str, second: str) -> bool:
    if first in _INVERTED.split("|"):  # "What's he got?"
        return second in AFTER_HAS
    if first in AFTER_HAS or (first in _HAS_BEFORE_TO and second == "to"):
        return True
    return first not in _ALWAYS_IS and second in _OBJECT and reads_as(first, "VBN") and not reads_as(first, "VBG")


def _contracted(match: "re.Match[str]", kind: str, text: str) -> str | None:
    words = match[0].lower().split(" ")
    if kind == "short_not":
        return "can't" if words == ["cannot"] else _WITH_NOT[words[0]]
    if kind == "short_ask":
        return f"{_WITH_NOT[words[0]]} {{}}"
    subject, verb = words
    if _STRESSED.search(text[: match.start()].rstrip()):
        return None
    following = _NEXT.match(text, match.end())
    if following is None or (verb in ("have", "has") and not reads_as(following[1], "VBN")):
        return None  # "I have a car" stays, and so does the end of a clause: "yes, it is."
    return f"{subject}'{_SHORT[verb]}"


@cache
def _entries() -> dict[str, str]:
    """The entries of the package's table that have an apostrophe, in lower case; read without its search engine."""
    spec = find_spec("contractions")
    if spec is None or spec.origin is None:
        raise ImportError("contractions")
    table = json.loads((Path(spec.origin).parent / "data" / "contractions_dict.json").read_text(encoding="utf-8"))
    entries = {short.lower().replace("’", "'"): full.lower() for short, full in table.items()}
    return {short: full for short, full in entries.items() if "'" in short and short not in _NOT_TAKEN}


@cache
def _not_contracted() -> dict[str, str]:
    return {short: full for full, short in _WITH_NOT.items()}


@cache
def _pattern(direction: str) -> "re.Pattern[str]":
    parts = []
    if direction != "contract":
        # "Let's" is not ambiguous "'s": it is always "let us".
        endings = [short for short in _entries() if short.endswith(("'s", "'d")) and short != "let's"]
        others = [short for short in _entries() if short not in endings and short not in _WITH_NOT.values()]
        parts += [
            rf"(?P<long_not>(?:{any_of(_WITH_NOT.values())})(?: (?P<long_subject>{_INVERTED})\b(?! (?:dare|ever)\b))?){AFTER}",
            rf"(?P<long_aint>{any_of(['ain' + chr(39) + 't'])}){AFTER}",
            rf"(?P<long_other>{any_of(others)}){AFTER}",
            rf"(?P<long_ending>{any_of(endings)}){AFTER}",
        ]
    if direction != "expand":
        made = [aux for aux in _WITH_NOT if aux not in _RARELY_CONTRACTED]
        plain = "|".join(rf"(?:{subjects}) {verb}" for verb, subjects in _SUBJECTS.items())
        parts += [
            rf"(?P<short_not>(?:{any_of(made)}) not|cannot)(?! only\b){AFTER}",
            rf"(?P<short_ask>(?:{any_of(made)}) (?P<ask_subject>{_INVERTED}) not){AFTER}",
            rf"(?P<short_plain>i am(?= \w)|(?:{plain})(?= \w)(?! not\b)){AFTER}",
        ]
    return re.compile(rf"{BEFORE}(?:{'|'.join(parts)})", re.IGNORECASE)


METHOD = Method(
    augcse_contraction_expansions,
    title="Expand and contract",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    tags={
        "class": "preserving",
        "role": "positive",
        "language": "english",
        "alias": "ContractionExpansions",
        "table": "augcse",
        "pools": "augcse_4 augcse_12",
    },
)
