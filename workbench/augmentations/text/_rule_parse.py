"""A parse by rules: finite verbs, their subjects and their objects. Reliable for plain sentences; hard ones stay unlabelled.

It exists because three of the four augmentations that need a parse are better with it than with parts of speech and word
order alone (each verb by its form, the nearest noun before it as its subject, the noun phrase after it as its object).
Correct, of the texts that each variant changed, with 95 % intervals (Wilson); the same 40 sentences for each augmentation, of at
most 18 words, from the demo set, STS-B's development part and NLI, judged by one author, blind to the variant:

    switch subject and object    32 of 37 (72 to 94 %)    without 22 of 32 (51 to 82 %)
    summarization                31 of 34 (77 to 97 %)    without 25 of 36 (53 to 82 %)
    another tense                31 of 34 (77 to 97 %)    without 23 of 39 (43 to 73 %)
    speak like Yoda              37 of 38 (87 to 100 %)   without 38 of 39 (87 to 100 %)

So only Yoda would not need it. spaCy's small English model was correct in 128 of 137 on the same sentences (88 to 97 %; texts
that only it produced were not judged blind), these rules in 131 of 143 (86 to 95 %): too few to show a difference. The rows and
what counted as correct are in `experiments/judged/parser.py` and the table next to it.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from workbench.augmentations.parser import Node, Parser, spacy_parser
from workbench.augmentations.text._rule_words import APART, OBJECT_ONLY, put_right, rows
from workbench.augmentations.text._verbs import BE, TWO_OBJECTS, plural, readings, reads_as, singular, takes_object
from workbench.core.method import Knob

_MODALS = frozenset(
    """
    will would can could shall should may might must ca wo sha 'll 'd cannot
    """.split()  # noqa: SIM905
)
_HAVE, _DO = frozenset(["have", "has", "had", "'ve"]), frozenset(["do", "does", "did"])
_BE = frozenset([*BE, "'m", "'re"])
_SUBORDINATE = frozenset(
    """
    because when while if although though since until till after before that who whom which whose where what
    whenever whether unless whereas as how why once than
    """.split()  # noqa: SIM905
)
# Also the base form of another verb ("to found"), but more often a past form; "feed" (of "to fee") and "rent" are not.
_RATHER_PAST = frozenset(["bound", "found", "ground", "rewound", "smelt", "wound"])
_NAMED = frozenset(["called", "named", "titled", "entitled", "dubbed"])  # "a town called Green"
_OBJECTS = frozenset(["DET", "PRON", "NOUN", "PROPN", "NUM", "ADJ"])  # with which an object may begin
_NOMINAL = frozenset(["NOUN", "PROPN", "PRON"])
# After an object these say when or how often, and are no second object: "told me last night".
_TIMES = frozenset("night day week month year morning afternoon evening time moment hour minute once twice".split())  # noqa: SIM905


class _Former(NamedTuple):
    """The clause before: its subject, the tag of its finite verb, and whether its verb was a participle with an auxiliary."""

    subject: int = -1
    tag: str = ""
    participle: bool = False


def prepare(
    corpus: Sequence[str],
    *,
    parser: Annotated[
        Literal["rules", "spacy"], Knob(help="The rules here, or spaCy where it is installed: slower.")
    ] = "rules",
) -> Parser:
    """The chosen parser. The corpus is not used.

    Raises:
        MissingResource: `parser` is spacy, which is not installed.
    """
    return spacy_parser() if parser == "spacy" else parse


def parse(text: str) -> list[Node]:
    """The nodes of `text`: words, with clitics split off ("do", "n't"), and punctuation marks one by one.

    >>> [(node.word, node.tag, node.dep) for node in parse("The dog bit him.")]
    [('The', '', 'det'), ('dog', 'NN', 'nsubj'), ('bit', 'VBD', 'ROOT'), ('him', '', 'dobj'), ('.', '', 'punct')]
    """
    cut = rows(text)
    words = [text[start:end].lower().replace("’", "'") for start, end, _ in cut]
    pos = [kind for _, _, kind in cut]
    heads, deps, tags = list(range(len(cut))), [""] * len(cut), [""] * len(cut)
    put_right(words, pos, deps, heads)
    _phrases(words, pos, deps, heads, tags)
    headline = bool(pos) and pos[-1] != "PUNCT"
    _verbs(words, pos, deps, heads, tags, headline)
    return [
        Node(text[start:end], start, end, kind, tag, dep, head)
        for (start, end, _), kind, tag, dep, head in zip(cut, pos, tags, deps, heads, strict=True)
    ]


def sunk(phrase: str, first: Node) -> str:
    """`phrase`, which began a sentence with the node `first`, for use inside one: no initial capital unless it is a name.

    A phrase in capitals stays unchanged.
    """
    plain = first.pos in ("NOUN", "ADJ", "ADV", "NUM", "VERB", "DET", "PRON") and (
        first.word[1:].islower() or (first.word == "A" and not phrase.isupper())
    )
    return phrase[:1].lower() + phrase[1:] if plain else phrase


def _phrases(words: list[str], pos: list[str], deps: list[str], heads: list[int], tags: list[str]) -> None:
    """Noun phrases, in place: the head of each word of one is its last noun."""
    place, size = 0, len(words)
    while place < size:
        if pos[place] not in ("DET", "ADJ", "NUM", "NOUN", "PROPN"):
            place += 1
            continue
        end, last = place, -1
        while end < size and (pos[end] in ("DET", "ADJ", "NUM", "NOUN", "PROPN") or deps[end] == "case"):
            if pos[end] == "DET" and last >= 0 and deps[end - 1] != "case":
                break  # another phrase begins
            if pos[end] in ("NOUN", "PROPN"):
                last = end
            end += 1
        if last >= 0:
            for at in range(place, last):
                heads[at] = last
                deps[at] = deps[at] or ("det" if pos[at] == "DET" else "compound")
            word = words[last]
            tags[last] = "NNS" if (pos[last] == "NOUN" or last == 0) and plural(word) else "NN"
        place = max(end, place + 1)


def _verbs(
    words: list[str], pos: list[str], deps: list[str], heads: list[int], tags: list[str], headline: bool
) -> None:
    """Tags of verbs, auxiliaries, subjects and objects, in place, from left to right and clause by clause."""
    subject, finite, subordinate, root = -1, -1, False, -1
    former, participle = _Former(), False  # whether the last verb was a participle with an auxiliary
    pending: list[int] = []  # auxiliaries whose verb is still to come
    for place, word in enumerate(words):
        kind = pos[place]
        if kind == "PUNCT" and word in ",;:.!?—–()":
            keep = word == "," and finite < 0
            if not keep:
                participle = participle and word == ","
                former = _Former(subject, tags[finite] if finite >= 0 and word == "," else "", participle)
                subject, finite, subordinate, pending = -1, -1, False, []
            continue
        if kind == "CONJ" or (kind in ("PRON", "ADP", "ADV", "DET") and word in _SUBORDINATE and heads[place] == place):
            if word not in ("and", "or"):
                pending = []
            if (kind == "CONJ" or word in ("who", "which", "that", "what")) and (
                finite >= 0 or word not in ("and", "or")
            ):
                former = _Former(subject, tags[finite] if finite >= 0 else "", participle and word in ("and", "or"))
                relative = word in ("who", "which", "that") and subject >= 0 and place and pos[place - 1] in _NOMINAL
                subject = subject if relative else -1
                subordinate = word in _SUBORDINATE or (subordinate and word in ("and", "or"))
                finite, pending = -1, []
            if kind != "PRON":
                continue
        if kind in ("AUX", "VERB"):
            tag = _tag(words, pos, tags, place, pending, subject, finite, former, subordinate, headline)
            tags[place] = tag
            aux = kind == "AUX" or (word in _HAVE | _DO and _verb_follows(words, pos, place))
            if aux and kind == "VERB":
                pos[place] = "AUX"
            is_finite = tag in ("VBZ", "VBP", "VBD", "MD")
            if is_finite and finite < 0:
                finite = place
                if (
                    subject < 0
                    and former.subject >= 0
                    and not (
                        aux
                        and place + 1 < len(words)
                        and pos[place + 1] in ("PRON", "DET")
                        and words[place - 1] not in ("and", "or", "but")
                    )
                ):
                    heads_subject = former.subject
                else:
                    heads_subject = subject
                if heads_subject >= 0 and not deps[heads_subject]:
                    deps[heads_subject], heads[heads_subject] = "nsubj", place
                if not subordinate and root < 0:
                    root, deps[place] = place, "ROOT"
                subject = heads_subject
            if aux:
                pending.append(place)
            else:
                participle = tag == "VBN" and (bool(pending) or former.participle)
                for helper in pending:
                    heads[helper], was_root = place, deps[helper] == "ROOT"
                    deps[helper] = "aux"
                    if was_root:
                        root, deps[place] = place, "ROOT"
                if pending and subject >= 0 and heads[subject] in pending:
                    heads[subject] = place
                elif is_finite and subject >= 0 and deps[place] != "ROOT":
                    # A second verb of the same subject hangs on the first: "she bought a car and sold it".
                    before = heads[subject] if deps[subject] == "nsubj" and not deps[place] else -1
                    joined = subject < before < place and _is_joined(words, pos, place)
                    heads[place], deps[place] = before if joined else place, deps[place] or "conj"
                pending = []
                if tag != "" and (is_finite or finite >= 0):
                    _object(words, pos, deps, heads, place, "dobj")
        elif kind in _NOMINAL and heads[place] == place and not deps[place]:
            if finite < 0 and word not in OBJECT_ONLY and (place == 0 or not _after_adp(words, pos, heads, place)):
                subject = place
            elif pending and deps[place] == "" and _inverted(words, pos, deps, heads, place, pending):
                subject = place
                deps[place], heads[place] = "nsubj", pending[-1]
            elif finite >= 0:
                pending = []
    for place, word in enumerate(words):
        if pos[place] == "AUX" and deps[place] != "aux" and (word in _BE or word == "'s") and tags[place]:
            _object(words, pos, deps, heads, place, "attr")
    for place, dep in enumerate(deps):
        if dep == "neg":
            verb = next((at for at in range(place - 1, max(place - 5, -1), -1) if pos[at] == "AUX"), -1)
            if verb < 0:  # "she never reads"
                verb = next((at for at in range(place + 1, min(place + 4, len(words))) if pos[at] == "VERB"), place)
            heads[place] = heads[verb] if deps[verb] == "aux" else verb


def _tag(
    words: list[str],
    pos: list[str],
    tags: list[str],
    index: int,
    pending: list[int],
    subject: int,
    finite: int,
    former: _Former,
    subordinate: bool,
    headline: bool,
) -> str:
    word = words[index]
    if word in _MODALS and pos[index] == "AUX":
        return "MD"
    if word in ("'m", "'re", "'ve", "'s"):
        return {"'s": "VBZ"}.get(word, "VBP")
    if word in BE and BE[word] in ("VBP", "VBZ", "VBD"):
        return BE[word]
    before = index - 1
    while before >= 0 and pos[before] in ("ADV", "PART") and words[before] != "to":
        before -= 1
    if before >= 0 and words[before] == "to":
        return "VB"
    if word in BE:
        return BE[word]
    cands = {tag for _, tag in readings(word)}
    if not cands:
        return "VBG" if word.endswith("ing") else "VBN" if word.endswith("ed") else ""
    if pos[index] == "AUX" and word in ("do", "have") and not pending:
        return "VBP"
    if pending:
        helper = words[pending[-1]]
        if helper in _MODALS or helper in _DO:
            return "VB" if "VB" in cands or not cands else sorted(cands)[-1]
        if word.endswith("ing"):
            return "VBG"
        if "VBN" in cands or word == "got":
            return "VBN"
    if word.endswith("ing") and "VBG" in cands:
        return "VBG"
    if "VBN" in cands and before < index - 1 and words[before + 1] == "not":
        return "VBN"  # "tired, not surprised": no verb but an auxiliary stands before "not"
    if "VBZ" in cands:
        return "VBZ" if finite < 0 or subordinate or (index and pos[index - 1] == "PRON") else ""
    if finite >= 0 and before != finite:
        if "VBN" in cands:
            return "VBN"
        return "VB"
    if "VBD" in cands and "VBN" not in cands:
        return "VBD"
    if "VBN" in cands and "VBD" not in cands:
        return "VBN"
    if "VBN" in cands and _shares_participle(words, pos, index, subject, former):
        return "VBN"
    who = subject if subject >= 0 else former.subject
    if "VBD" in cands and ("VB" not in cands or word in _RATHER_PAST):
        if who < 0 or (subject < 0 and (former.tag not in ("VBD", ""))):
            return "VBN"
        if index and (words[index - 1] == "," or pos[index - 1] in ("VERB", "DET", "ADJ", "ADP")):
            return "VBN"
        if headline and index + 1 < len(words) and pos[index + 1] in ("ADP", "ADV", "PUNCT"):
            return "VBN"
        return "VBN" if _finite_ahead(words, pos, index) else "VBD"
    if "VB" in cands:
        if subject < 0:
            return "VBP" if former.tag == "VBP" else "VB"
        sure = (
            words[subject] in ("i", "you", "we", "they", "who", "that", "which", "these", "those")
            or tags[subject] == "NNS"
        )
        several = any(words[at] == "and" for at in range(max(0, subject - 8), subject))
        if sure or several:
            return "VBP"
        return "VBD" if "VBD" in cands else "VB"
    return ""


def _shares_participle(words: list[str], pos: list[str], index: int, subject: int, former: _Former) -> bool:
    """Whether a form that may be past or participle is the participle: "was jailed and fined", "errors found during tests"."""
    if not takes_object(words[index]):
        return False
    at = index + 1
    if subject < 0 and former.participle:
        thing = at + (at < len(words) and words[at] in APART)
        if thing >= len(pos) or pos[thing] not in _OBJECTS:
            return True
    if not index or pos[index - 1] not in ("NOUN", "PROPN"):
        return False
    after = pos[at] if at < len(pos) else ""
    if words[at : at + 1] == ["by"] and not (words[at + 1 : at + 2] or [""])[0].endswith("ing"):
        return True
    if subject < 0 or (subject < index - 1 and "," in words[subject:index]):  # describes a noun that is not a subject
        return after not in _OBJECTS or words[index] in _NAMED
    if subject < index - 1:
        return False
    first = _phrase_start(pos, subject)
    if not former.tag or after != "ADP" or first < 2 or words[first - 1] not in ("and", "or"):
        return False
    first = _phrase_start(pos, first - 1)  # where "plans" begins: "on plans and errors"
    return first > 0 and pos[first - 1] in ("ADP", "VERB")


def _phrase_start(pos: list[str], index: int) -> int:
    """Index of the first word of the noun phrase that ends before or at `index`."""
    while index and pos[index - 1] in ("DET", "ADJ", "NUM", "NOUN", "PROPN"):
        index -= 1
    return index


def _finite_ahead(words: list[str], pos: list[str], index: int) -> bool:
    """Whether the finite verb of this clause is still to come, so that "dressed" in "a girl dressed as ..." is not it."""
    for at in range(index + 1, len(words)):
        if pos[at] in ("CONJ", "PUNCT"):
            return False
        if pos[at] in ("AUX", "VERB"):
            cands = {tag for _, tag in readings(words[at])}
            sure = words[at] in _MODALS or "VBZ" in cands or ("VBP" in cands) or ("VBD" in cands and "VBN" not in cands)
            return sure and pos[at - 1] != "PRON" and words[at - 1] != "to"
    return False


def _verb_follows(words: list[str], pos: list[str], index: int) -> bool:
    for at in range(index + 1, min(index + 4, len(words))):
        if pos[at] == "VERB" and ("VBN" if words[index] in _HAVE else "VB") in {tag for _, tag in readings(words[at])}:
            return True
        if words[at] in ("been", "got"):
            return True
        if pos[at] not in ("ADV", "PART", "PRON"):
            return False
    return False


def _after_adp(words: list[str], pos: list[str], heads: list[int], index: int) -> bool:
    """Whether the noun phrase that ends at `index` follows a preposition."""
    first = index
    while first > 0 and heads[first - 1] == index:
        first -= 1
    verb = first > 0 and pos[first - 1] == "VERB" and words[first - 1].endswith("ing")  # "in bathing caps"
    first -= verb
    if verb and first > 0 and words[first - 1] == ",":  # ", including caps called ..."
        return pos[index] in ("NOUN", "PROPN") and index + 1 < len(words) and reads_as(words[index + 1], "VBN")
    return first > 0 and pos[first - 1] == "ADP" and words[first - 1] not in _SUBORDINATE


def _inverted(
    words: list[str], pos: list[str], deps: list[str], heads: list[int], index: int, pending: list[int]
) -> bool:
    """Whether the noun phrase at `index` directly follows an auxiliary that has no subject yet: a question."""
    first = index
    while first > 0 and heads[first - 1] == index:
        first -= 1
    first -= first > 0 and deps[first - 1] == "neg"
    helper = pending[-1]
    asked = first - 1 == helper and not any(
        dep == "nsubj" and heads[at] == helper for at, dep in enumerate(deps[helper:index], helper)
    )
    opens = helper == 0 or pos[helper - 1] == "PUNCT" or words[helper - 1] in _SUBORDINATE
    verb_next = any(pos[at] == "VERB" for at in range(index + 1, min(index + 5, len(words))))
    return asked and (verb_next or (opens and words[helper] in _BE))


def _object(words: list[str], pos: list[str], deps: list[str], heads: list[int], verb: int, dep: str) -> None:
    """Label the noun phrase after the verb as `dep`, if one comes before any preposition, verb or mark."""
    for at in range(verb + 1, len(words)):
        if pos[at] in ("ADP", "VERB", "AUX", "PUNCT", "CONJ") or words[at] == "to":
            return
        if pos[at] in _NOMINAL and heads[at] == at:
            following = words[at + 1 : at + 2]
            if pos[at] == "PRON" and words[at] not in OBJECT_ONLY and following and pos[at + 1] in ("VERB", "AUX"):
                return  # "I know he went": the subject of another clause
            if not deps[at]:
                deps[at], heads[at] = dep, verb
                if dep == "dobj" and any(lemma in TWO_OBJECTS for lemma, _ in readings(words[verb])):
                    _second_object(words, pos, deps, heads, at)
            return


def _is_joined(words: list[str], pos: list[str], index: int) -> bool:
    """Whether "and" or a comma joins this verb to the one before: not "it is late, said John", "a man that sold it"."""
    before = index - 1
    while before >= 0 and pos[before] in ("ADV", "AUX", "PART"):
        before -= 1
    if before < 0 or words[before] not in ("and", "or", "but", ","):
        return False
    return words[before] != "," or not any(lemma == "say" for lemma, _ in readings(words[index]))


def _second_object(words: list[str], pos: list[str], deps: list[str], heads: list[int], first: int) -> None:
    """Label what directly follows the object `first` as another of its verb: "gave me a book", not "told me he was late"."""
    if first + 1 >= len(words) or pos[first + 1] not in _OBJECTS:
        return
    last = first + 1
    while last < len(words) and heads[last] != last and pos[last] in _OBJECTS:
        last += 1
    if last >= len(words) or pos[last] not in _NOMINAL or deps[last] or words[last] in OBJECT_ONLY | _SUBORDINATE:
        return
    clause = last + 1 < len(words) and pos[last + 1] in ("VERB", "AUX")
    if not clause and singular(words[last]) not in _TIMES:
        deps[last], heads[last] = "dobj", heads[first]
