"""AugCSE's tense transformation: the same in the past, the present or the future."""

from random import Random
from typing import Annotated, Literal

from workbench.augmentations.parser import Node, Parser, children
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._rule_parse import prepare
from workbench.augmentations.text._verbs import AFTER_HAS, BE, form, readings
from workbench.augmentations.text._words import like_case, locked
from workbench.core.method import Knob, Method

_BE = frozenset([*BE, "'m", "'re"])
_WHOLE = {"'m": "am", "'re": "are", "'ve": "have", "ca": "can", "wo": "will", "sha": "shall"}
_SINGULAR = frozenset(
    """
    i he she it this that everyone everybody someone somebody nobody something nothing who
    """.split()  # noqa: SIM905
)
_PLURAL = frozenset(
    """
    you we they these those people
    """.split()  # noqa: SIM905
)
_NOMINATIVE = frozenset(["i", "he", "she", "we", "they"])
_NOMINAL, _OBJECTS = frozenset(["NOUN", "PROPN", "PRON"]), frozenset(["dobj", "obj", "attr"])
# A future is not grammatical in such a clause: "when he will come".
_NO_FUTURE = frozenset(
    """
    when while if until till after before once unless since though although whenever that who which as
    """.split()  # noqa: SIM905
)
# May come between "will" and its verb.
_BETWEEN = frozenset(["not", "never", "always", "often", "also", "still", "probably", "usually"])
_UNREAL = frozenset(["would", "could", "might", "'d"])
_FINITE = frozenset(["VBZ", "VBP", "VBD", "MD"])
# May come before an imperative.
_ASKING = frozenset("please just so and but no yes oh now then always".split())  # noqa: SIM905
_QUOTES = frozenset("\"'“‘([")
_SHORT_NOT = {"will": "won't", "can": "can't", "shall": "shan't"}


def augcse_tense_transformation(
    parser: Parser,
    text: str,
    *,
    tense: Annotated[
        Literal["random", "past", "present", "future"],
        Knob(help="Tense of the result; random draws one for each text."),
    ] = "random",
    rng: Random,
) -> str:
    """`text` with its finite verbs, and "will" with its verb, in one tense. Verbs already in that tense stay.

    Other modals (can, may, must) and imperatives ("Don't go!") stay, and so does a verb after "when", "if" or "who" where
    a future would be wrong.
    Auxiliaries are added and removed as "did" and "will not" require. It needs a parser; preparing spaCy's raises
    `MissingResource` where it is not installed.

    Prefer it over `augcse_yoda_perturbation` when the word order should stay and the time may change.

    >>> augcse_tense_transformation(prepare([]), "The dog barks.", tense="past", rng=Random(0))
    'The dog barked.'
    """
    clean = normalised(text)
    wanted = ("past", "present", "future")[int(rng.random() * 3)] if tense == "random" else tense
    if clean.isupper():
        return clean
    nodes = parser(clean)
    below = children(nodes)
    edits: list[tuple[int, int, str]] = []
    for place, node in enumerate(nodes):
        if node.tag in _FINITE and node.pos in ("VERB", "AUX") and not locked(_surroundings(clean, node)):
            edits += _changed(nodes, below, place, wanted)
    result, end = "", len(clean)
    for start, stop, new in sorted(edits, reverse=True):
        if stop <= end:  # two readings never edit the same place
            result, end = new + clean[stop:end] + result, start
    return normalised(clean[:end] + result)


def _surroundings(text: str, node: Node) -> str:
    start, end = text.rfind(" ", 0, node.start + 1) + 1, text.find(" ", node.end)
    return text[start : end if end >= 0 else len(text)]


def _changed(nodes: list[Node], below: list[list[int]], index: int, wanted: str) -> list[tuple[int, int, str]]:
    """Edits (start, end, new text) that put the finite verb at `index`, with its auxiliaries, into the `wanted` tense."""
    node = nodes[index]
    word = node.word.lower().replace("’", "'")
    word = _WHOLE.get(word, word)
    negated = nodes[index + 1] if index + 1 < len(nodes) and _is_short_not(nodes[index + 1], node) else None
    subject = _subject(nodes, below, index)
    if node.tag == "MD":
        return _from_will(nodes, index, wanted, subject, negated) if word in ("will", "'ll") else []
    lemma = _lemma(nodes, index, word)
    if word == "used" and index + 1 < len(nodes) and nodes[index + 1].word.lower() == "to":
        return []  # "he used to go" has no present
    if not lemma or (wanted == "future" and _in_side_clause(nodes, index)):
        return []
    if word == "were" and subject is not None and nodes[subject].word.lower() in _SINGULAR:
        return []  # "as if he were": a subjunctive
    if node.tag == "VBD" and _is_unreal(nodes, index):
        return []
    if (wanted == "past" and node.tag == "VBD") or (wanted == "present" and node.tag in ("VBZ", "VBP")):
        return []
    helps = node.pos == "AUX" and lemma == "do"
    if helps and word == "do" and _asks_for(nodes, index, subject):
        return []
    inverted = subject is not None and subject > index
    if wanted == "future":
        if inverted and not helps:
            # "Is she late?": will she be late?
            assert subject is not None
            end = nodes[subject].end
            return [*_put(node, negated, "will"), (end, end, f" {lemma}")]
        if helps:
            return _put(node, negated, "will")
        if negated:
            return _put(node, negated, "will", lemma)
        after = index
        while after + 1 < len(nodes) and nodes[after + 1].word.lower() in _BETWEEN:
            after += 1
        if after == index:
            return _put(node, negated, f"will {lemma}")
        return [*_put(node, negated, "will"), (nodes[after].end, nodes[after].end, f" {lemma}")]
    return _put(node, negated, _finite(lemma, wanted, nodes, subject, node.tag, word))


def _from_will(
    nodes: list[Node], index: int, wanted: str, subject: int | None, negated: Node | None
) -> list[tuple[int, int, str]]:
    node = nodes[index]
    verb = next((at for at in range(index + 1, min(index + 9, len(nodes))) if nodes[at].tag == "VB"), None)
    if wanted == "future" or verb is None:
        return []
    lemma = nodes[verb].word.lower()
    inverted = subject is not None and subject > index
    apart = any(nodes[at].dep == "neg" or nodes[at].word.lower() == "not" for at in range(index + 1, verb))
    if lemma == "be" or (lemma == "have" and nodes[verb].pos == "AUX"):
        new = _finite(lemma, wanted, nodes, subject, "", "")
        return [*_put(node, negated, new), (nodes[verb].start - 1, nodes[verb].end, "")]
    if negated or apart or inverted:
        return _put(node, negated, _finite("do", wanted, nodes, subject, "", ""))
    gone = (node.start, node.end + (nodes[index + 1].start > node.end), " " if node.word[0] in "'’" else "")
    new = _finite(lemma, wanted, nodes, subject, "", "")
    return [gone, (nodes[verb].start, nodes[verb].end, new)]


def _put(node: Node, negated: Node | None, new: str, after: str = "") -> list[tuple[int, int, str]]:
    """The edit that replaces the verb by `new`, with "n't" attached as `new` requires if it was negated, then `after`."""
    if negated is None:
        if node.word[0] in "'’":
            return [(node.start, node.end, f" {new}")]
        return [(node.start, node.end, like_case(node.word, new) if not node.word.isupper() else new)]
    short = _SHORT_NOT.get(new, "am not" if new == "am" else f"{new}n't")
    short = short.replace("'", "’") if "’" in negated.word else short
    short = short[:1].upper() + short[1:] if node.word[:1].isupper() else short
    return [(node.start, negated.end, f"{short} {after}".rstrip())]


def _finite(lemma: str, wanted: str, nodes: list[Node], subject: int | None, tag: str, word: str) -> str:
    """The past or present form of a verb that agrees with its subject, or with the number of its current form."""
    first = subject is not None and nodes[subject].word.lower() == "i"
    if lemma == "be" and wanted == "past" and word in ("was", "were"):
        return word
    if tag in ("VBZ", "VBP") and word != "":
        many = tag == "VBP" and not first
    elif word in ("was", "were"):
        many = word == "were"
    else:
        many = subject is not None and _many(nodes, subject)
    if wanted == "past":
        return ("were" if many else "was") if lemma == "be" else form(lemma, "VBD")
    if lemma == "be":
        return "am" if first else "are" if many else "is"
    return form(lemma, "VBP" if many or first else "VBZ") if lemma != "have" else ("have" if many or first else "has")


def _many(nodes: list[Node], subject: int) -> bool:
    word = nodes[subject].word.lower()
    if word in _SINGULAR or word in _PLURAL:
        return word in _PLURAL
    if any(
        nodes[at].word.lower() == "and" and _joins_subjects(nodes, at) for at in range(max(1, subject - 4), subject)
    ):
        return True
    return nodes[subject].tag in ("NNS", "NNPS")


def _joins_subjects(nodes: list[Node], index: int) -> bool:
    """Whether a noun phrase before "and" may be a subject: neither an object nor after a preposition."""
    last = nodes[index - 1]
    first = index - 1
    while first and nodes[first - 1].head == index - 1:
        first -= 1
    return last.pos in _NOMINAL and last.dep not in _OBJECTS and not (first and nodes[first - 1].pos == "ADP")


def _lemma(nodes: list[Node], index: int, word: str) -> str:
    node = nodes[index]
    if word in _BE:
        return "be"
    if word == "'s":
        rest = [n for n in nodes[index + 1 : index + 6] if n.pos not in ("ADV", "PART")]
        done = bool(rest) and (
            rest[0].word.lower() in AFTER_HAS
            or (rest[0].tag == "VBN" and len(rest) > 1 and rest[1].pos in ("DET", "PRON"))  # "he's waited all week"
        )
        return "have" if done else "be"
    if word in ("have", "has", "had"):
        return "have"
    tag = "VB" if node.tag == "VBP" else node.tag
    return next((lemma for lemma, found in readings(word) if found == tag), "")


def _subject(nodes: list[Node], below: list[list[int]], index: int) -> int | None:
    """The subject of the finite verb, else of the verb it is an auxiliary of or coordinated with, else the pronoun before it."""
    at = index
    for _ in range(4):
        found = next((i for i in below[at] if nodes[i].dep in ("nsubj", "nsubjpass", "expl")), None)
        if found is not None:
            return found
        if nodes[at].head == at or nodes[at].dep not in ("aux", "auxpass", "conj"):
            break
        at = nodes[at].head
    return index - 1 if index and nodes[index - 1].word.lower() in _NOMINATIVE else None


def _is_unreal(nodes: list[Node], index: int) -> bool:
    """Whether a past form speaks of what is not so: after "wish", and after "if" next to "would"."""
    for at in range(index - 1, max(index - 60, -1), -1):
        word = nodes[at].word.lower()
        if word in ("wish", "wishes", "wished"):
            return True
        if word == "if":
            return any(other.word.lower().replace("’", "'") in _UNREAL for other in nodes)
        if word in ",;:.!?":
            return False
    return False


def _in_side_clause(nodes: list[Node], index: int) -> bool:
    for at in range(index - 1, max(index - 60, -1), -1):
        word = nodes[at].word.lower()
        if word in _NO_FUTURE:
            return nodes[at].pos not in ("DET",)
        if word in ",;:.!?" or word in ("and", "but", "or"):
            return False
    return False


def _asks_for(nodes: list[Node], index: int, subject: int | None) -> bool:
    """Whether the "do" at `index` begins an imperative: "Please don't go.", "If you are late, do come in."."""
    after = index + 1
    while after < len(nodes) and nodes[after].pos in ("PART", "ADV"):
        after += 1
    if after == len(nodes) or nodes[after].tag != "VB":
        return False  # a question, or "they do."
    before, first = index - 1, index
    while before >= 0 and (nodes[before].word.lower() in _ASKING or nodes[before].word in _QUOTES):
        first = before if nodes[before].word not in _QUOTES else first
        before -= 1
    quoted = before < first - 1 and nodes[first].word[0].isupper()  # he said "Don't go."
    if before < 0 or quoted or nodes[before].word in ".!?:;—–…":
        return True
    if nodes[before].pos == "CONJ":
        return subject is None or before == 0 or nodes[before - 1].word in ".!?:;"
    if nodes[before].word != ",":
        return False
    begin = next(
        (at + 1 for at in range(before - 1, max(before - 60, -1), -1) if nodes[at].word in ".!?:;"), max(before - 60, 0)
    )
    earlier = nodes[begin:before]
    # Else the subject may end here: "The men, however, don't know."
    return any(node.tag in _FINITE for node in earlier) or (
        len(earlier) < 3
        and all(node.pos in ("PROPN", "ADV", "OTHER") or node.word.lower() in _ASKING for node in earlier)
    )


def _is_short_not(node: Node, before: Node) -> bool:
    return node.start == before.end and node.word.lower().replace("’", "'") == "n't"


METHOD = Method(
    augcse_tense_transformation,
    title="Another tense",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    prepare=prepare,
    tags={
        "class": "possible",
        "role": "positive",
        "language": "english",
        "alias": "TenseTransformation",
        "table": "augcse",
        "pools": "augcse_4 augcse_12",
    },
)
