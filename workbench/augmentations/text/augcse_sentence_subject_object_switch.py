"""AugCSE's subject and object switch: the one who acts and the one acted on change places."""

from random import Random

from workbench.augmentations.parser import Node, Parser, chunk
from workbench.augmentations.text._capitals import recapitalised
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._rule_parse import prepare, sunk
from workbench.augmentations.text._verbs import BE, form, readings
from workbench.augmentations.text._words import like_case, locked
from workbench.core.method import Method

_OBJECT_FORMS = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them", "who": "whom"}
_SUBJECT_FORMS = {form: subject for subject, form in _OBJECT_FORMS.items()}
_BE = frozenset([*BE, "'m", "'re", "'s"])
_BESIDE = ("", " ", ".", ",", ";", ":", "!", "?")
_FIXED = frozenset(
    """
    it you this that these those there what which who whom
    """.split()  # noqa: SIM905
)


def augcse_sentence_subject_object_switch(parser: Parser, text: str, *, rng: Random) -> str:
    """`text` with the subject and the object of its main verb swapped, if it has both.

    Pronouns change case and the verb agrees in number: "he likes them" becomes "they like him". Only the noun phrases
    before and after the verb move; what is attached to them ("of the team") stays. Reflexive and relative pronouns
    never move, and neither does anything with a passive verb, next to a quote or bracket, or after "and". Every draw
    gives the same text. It needs a parser; preparing spaCy's raises `MissingResource` where it is not installed.

    Prefer it over `eda_swap` when the result should be a grammatical sentence of nearly the same words with other
    roles; sentences without a subject and an object come back unchanged.

    >>> augcse_sentence_subject_object_switch(prepare([]), "The dog bites a man.", rng=Random(0))
    'A man bites the dog.'
    """
    clean = normalised(text)
    nodes = parser(clean)
    root = next((at for at, node in enumerate(nodes) if node.dep == "ROOT"), None)
    if root is None:
        return clean
    subject = next((at for at in range(root - 1, -1, -1) if _is(nodes[at], "nsubj", root)), None)
    target = next(
        (at for at in range(root + 1, len(nodes)) if _is(nodes[at], "dobj", root) or _is(nodes[at], "obj", root)), None
    )
    if subject is None or target is None or not (_moves(nodes[subject]) and _moves(nodes[target])):
        return clean
    first, second = chunk(nodes, subject), chunk(nodes, target)
    if _is_passive(nodes, root) or not (_is_free(clean, nodes, first) and _is_free(clean, nodes, second)):
        return clean
    between = nodes[first[1] : second[0]]
    others = [node for node in between if node.pos == "VERB" and node is not nodes[root] and node.dep != "xcomp"]
    if first[1] > second[0] or others or any(node.dep == "cc" or node.word == "," for node in between):
        return clean
    if any(node.tag in ("VBZ", "VBP", "VBD") and node.head == root for node in nodes[: first[0]]):
        return clean  # a question: its auxiliary agrees with the subject after it
    before, after = _span(clean, nodes, first), _span(clean, nodes, second)
    middle_start, middle_end = nodes[first[1] - 1].end, nodes[second[0]].start
    middle = clean[middle_start:middle_end]
    if middle[:1] in ("'", "’"):  # "I've kept": the ending cannot move to another subject
        return clean
    if first[0] == 0:
        before = sunk(before, nodes[0])
    finite = next((at for at in range(first[1], second[0]) if nodes[at].tag in ("VBZ", "VBP") or _was(nodes[at])), None)
    if finite is not None and not locked(middle):
        node = nodes[finite]
        new = _agreeing(node, nodes[target])
        middle = clean[middle_start : node.start] + new + clean[node.end : middle_end]
    result = (
        clean[: nodes[first[0]].start]
        + _cased(after, _SUBJECT_FORMS)
        + middle
        + _cased(before, _OBJECT_FORMS)
        + clean[nodes[second[1] - 1].end :]
    )
    return recapitalised(clean, result)


def _is(node: Node, dep: str, head: int) -> bool:
    return node.dep == dep and node.head == head


def _is_passive(nodes: list[Node], root: int) -> bool:
    """Whether the verb is a participle after "be", so that what follows is not its object."""
    helpers = [node.word.lower() for node in nodes[:root] if node.head == root and node.dep in ("aux", "auxpass")]
    return nodes[root].tag == "VBN" and bool(helpers) and (helpers[-1] in _BE or nodes[root - 1].word.lower() in _BE)


def _is_free(text: str, nodes: list[Node], places: tuple[int, int]) -> bool:
    """Whether a noun phrase is complete: no quote, bracket or "&" touches it, and no "and" or "or" comes before it."""
    start, end = nodes[places[0]].start, nodes[places[1] - 1].end
    return (
        text[start - 1 : start] in _BESIDE
        and (text[end : end + 1] in _BESIDE or text[end] in "'’")
        and not text.startswith(" & ", end)
        and not (places[0] and nodes[places[0] - 1].word.lower() in ("and", "or", "&"))
    )


def _moves(node: Node) -> bool:
    word = node.word.lower()
    return not word.endswith(("self", "selves")) and (word not in _FIXED or word in ("it", "you"))


def _span(text: str, nodes: list[Node], places: tuple[int, int]) -> str:
    return text[nodes[places[0]].start : nodes[places[1] - 1].end]


def _was(node: Node) -> bool:
    return node.word.lower() in ("was", "were")


def _cased(phrase: str, forms: dict[str, str]) -> str:
    """A pronoun in its other case; other phrases unchanged."""
    if phrase.lower() not in forms:
        return phrase
    new = forms[phrase.lower()]
    return "I" if new == "i" else new if phrase == "I" else like_case(phrase, new)


def _agreeing(verb: Node, subject: Node) -> str:
    """The verb, agreeing with another subject."""
    word = verb.word.lower()
    lemma = next((lemma for lemma, tag in readings(word) if tag in ("VB", "VBZ", "VBP") or lemma == "be"), "")
    if not lemma or "'" in word or "’" in word:
        return verb.word
    who = subject.word.lower()
    many = subject.tag in ("NNS", "NNPS") or who in ("them", "us", "you", "people", "me")
    if _was(verb):
        return like_case(verb.word, "were" if many and who != "me" else "was")
    if lemma == "be":
        return like_case(verb.word, "am" if who == "me" else "are" if many else "is")
    return like_case(
        verb.word, ("have" if lemma == "have" else lemma) if many else "has" if lemma == "have" else form(lemma, "VBZ")
    )


METHOD = Method(
    augcse_sentence_subject_object_switch,
    title="Switch subject and object",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    prepare=prepare,
    tags={
        "class": "meaning_alteration",
        "role": "negative",
        "language": "english",
        "alias": "SentenceSubjectObjectSwitch",
        "table": "augcse",
        "pools": "augcse_12",
    },
)
