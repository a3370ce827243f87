"""A parse by rules: which verbs are finite, who does it, and to what. Right for plain sentences, silent on hard ones."""

import re
from collections.abc import Sequence
from typing import Annotated, Literal

from workbench.augmentations.parser import Node, Parser, spacy_parser
from workbench.augmentations.text._tags import tagged_tokens
from workbench.augmentations.text._verbs import BE, plural, readings, reads_as
from workbench.augmentations.text._words import tokens
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
_CLITIC = re.compile(r"(?<=\w)(n['’]t|['’](?:s|re|ve|ll|d|m))$", re.IGNORECASE)
_SUBJECTS = frozenset(
    """
    i you he she it we they this that these those there who what which where here how when why everyone everybody
    someone somebody nobody something nothing
    """.split()  # noqa: SIM905
)
_BEFORE_NOUN = ("NOUN", "PROPN", "ADJ", "NUM", "VERB")
_INNER = ("NOUN", "ADJ", "NUM")
_OBJECT_ONLY = frozenset(
    """
    me him us them myself yourself himself herself itself ourselves themselves
    """.split()  # noqa: SIM905
)
_NOMINAL = frozenset(["NOUN", "PROPN", "PRON"])


def prepare(
    corpus: Sequence[str],
    *,
    parser: Annotated[
        Literal["rules", "spacy"], Knob(help="Own rules, or spaCy where it is installed: slower, and right more often.")
    ] = "rules",
) -> Parser:
    """The parser asked for. The corpus does not matter.

    Raises:
        MissingResource: `spacy`, and it is not installed.
    """
    return spacy_parser() if parser == "spacy" else parse


def parse(text: str) -> list[Node]:
    """The nodes of `text`: words with clitics split off ("do", "n't") and single marks.

    >>> [(node.word, node.tag, node.dep) for node in parse("The dog bit him.")]
    [('The', '', 'det'), ('dog', 'NN', 'nsubj'), ('bit', 'VBD', 'ROOT'), ('him', '', 'dobj'), ('.', '', 'punct')]
    """
    rows = _rows(text)
    words = [text[start:end].lower().replace("’", "'") for start, end, _ in rows]
    pos = [kind for _, _, kind in rows]
    heads, deps, tags = list(range(len(rows))), [""] * len(rows), [""] * len(rows)
    _clitics(words, pos, deps, heads)
    _phrases(words, pos, deps, heads, tags)
    headline = bool(pos) and pos[-1] != "PUNCT"
    _verbs(words, pos, deps, heads, tags, headline)
    return [
        Node(text[start:end], start, end, kind, tag, dep, head)
        for (start, end, _), kind, tag, dep, head in zip(rows, pos, tags, deps, heads, strict=True)
    ]


def sunk(phrase: str, first: Node) -> str:
    """`phrase`, which began a sentence with the node `first`, as it stands inside one: no capital unless it is a name."""
    plain = first.pos in ("NOUN", "ADJ", "ADV", "NUM", "VERB", "DET", "PRON") and (
        first.word[1:].islower() or first.word == "A"
    )
    return phrase[:1].lower() + phrase[1:] if plain else phrase


def _rows(text: str) -> list[tuple[int, int, str]]:
    """(start, end, part of speech) of each word, clitic and mark."""
    parts = tokens(text)
    kinds = {place: tag for _, tag, place in tagged_tokens(parts)}
    rows, start = [], 0
    for place, part in enumerate(parts):
        if place % 2 == 0:
            rows += [(start + at, start + at + 1, "PUNCT") for at, letter in enumerate(part) if letter != " "]
        else:
            clitic = _CLITIC.search(part) if part[-1] in "tTsSeElLdDmM" else None
            if clitic:
                rows.append((start, start + clitic.start(), kinds[place]))
                rows.append((start + clitic.start(), start + len(part), "CLITIC"))
            else:
                rows.append((start, start + len(part), kinds[place]))
        start += len(part)
    return rows


def _clitics(words: list[str], pos: list[str], deps: list[str], heads: list[int]) -> None:
    """Parts of speech put right where clitics, and what stands beside a word, tell more than the tagger knows."""
    seen = False  # a verb, in this clause
    for place, kind in enumerate(pos):
        word, before = words[place], pos[place - 1] if place else ""
        after = pos[place + 1] if place + 1 < len(pos) else ""
        if kind == "CLITIC":
            if word == "n't":
                pos[place], deps[place] = "PART", "neg"
                pos[place - 1] = "AUX"
            elif word == "'s" and words[place - 1] not in _SUBJECTS and _owns(words, place, before, after):
                pos[place], deps[place], heads[place] = "PART", "case", place - 1
                pos[place - 1] = before if before in ("NOUN", "PROPN", "PRON") else "NOUN"
                if after == "VERB":
                    pos[place + 1] = "NOUN"
            else:
                pos[place] = "AUX"
                if before not in ("NOUN", "PROPN", "ADV"):
                    pos[place - 1] = "PRON"
        elif word in ("not", "never"):
            pos[place], deps[place] = "PART", "neg"
        elif kind == "PUNCT":
            if (
                word in ("'", "’")
                and before in ("NOUN", "PROPN")
                and words[place - 1].endswith("s")
                and after in _INNER
            ):
                pos[place], deps[place], heads[place] = "PART", "case", place - 1  # "the animals' tails"
            else:
                deps[place] = "punct"
        elif kind == "CONJ" and word in ("and", "or", "but", "nor", "yet"):
            deps[place] = "cc"
        elif kind == "VERB" and word.endswith("s") and before in _BEFORE_NOUN and plural(word):
            # "Small jobs", "swap uniforms"; after a noun only if the verb is another one: "Turkish words tend", "has dust spots".
            follows = after in ("VERB", "AUX") and not words[place + 1].endswith("ing")
            if before in ("ADJ", "NUM", "VERB") or seen or follows:
                pos[place] = "NOUN"
        elif kind == "VERB" and after == "NOUN" and _describes(word, before):
            pos[place] = "ADJ"
        elif kind == "NOUN" and before in ("NOUN", "PROPN", "PART") and _does(words, place):
            pos[place] = "VERB"
        if pos[place] in ("PUNCT", "CONJ") or (pos[place] == "PRON" and word in _SUBJECTS):
            seen = False
        elif pos[place] == "AUX" or (pos[place] == "VERB" and not word.endswith("ing")):
            seen = True


def _describes(word: str, before: str) -> bool:
    """Whether a participle before a noun belongs to it: "a dripping frame", "dented lockers"."""
    if word.endswith("ing"):
        return before in ("DET", "ADJ")
    return word.endswith("ed") and before in ("DET", "ADJ", "ADP", "")


def _owns(words: list[str], place: int, before: str, after: str) -> bool:
    """Whether this "'s" is a possessive: "the dog's tail", and not "the dog's eaten it"."""
    if after == "VERB":
        return before in ("NOUN", "PROPN") and (
            reads_as(words[place + 1], "VB", "VBZ") or words[place + 1].endswith("ed")
        )
    return before in ("NOUN", "PROPN") or after in ("NOUN", "PROPN", "ADJ", "NUM")


def _does(words: list[str], place: int) -> bool:
    """Whether what looks like a noun is a verb, since an object follows, "the dog bit him", or "never" comes before."""
    object_next = place + 1 < len(words) and words[place + 1] in _OBJECT_ONLY
    return (object_next or words[place - 1] == "never") and reads_as(words[place], "VBD", "VBZ")


def _phrases(words: list[str], pos: list[str], deps: list[str], heads: list[int], tags: list[str]) -> None:
    """Noun phrases: each word of one hangs on its last noun."""
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
    """Tags of verbs, auxiliaries, subjects and objects, from left to right, clause by clause."""
    subject, finite, subordinate, root, former = -1, -1, False, -1, (-1, "")
    pending: list[int] = []  # auxiliaries that wait for their verb
    for place, word in enumerate(words):
        kind = pos[place]
        if kind == "PUNCT" and word in ",;:.!?—–()":
            keep = word == "," and finite < 0
            if not keep:
                former = (subject, tags[finite] if finite >= 0 and word == "," else "")
                subject, finite, subordinate, pending = -1, -1, False, []
            continue
        if kind == "CONJ" or (kind in ("PRON", "ADP", "ADV", "DET") and word in _SUBORDINATE and heads[place] == place):
            if word not in ("and", "or"):
                pending = []
            if (kind == "CONJ" or word in ("who", "which", "that", "what")) and (
                finite >= 0 or word not in ("and", "or")
            ):
                former = (subject, tags[finite] if finite >= 0 else "")
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
                    and former[0] >= 0
                    and not (aux and place + 1 < len(words) and pos[place + 1] in ("PRON", "DET"))
                ):
                    heads_subject = former[0]
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
                for helper in pending:
                    heads[helper], was_root = place, deps[helper] == "ROOT"
                    deps[helper] = "aux"
                    if was_root:
                        root, deps[place] = place, "ROOT"
                if pending and subject >= 0 and heads[subject] in pending:
                    heads[subject] = place
                elif is_finite and subject >= 0 and deps[place] != "ROOT":
                    heads[place], deps[place] = place, deps[place] or "conj"
                pending = []
                if tag != "" and (is_finite or finite >= 0):
                    _object(words, pos, deps, heads, place, "dobj")
        elif kind in _NOMINAL and heads[place] == place and not deps[place]:
            if finite < 0 and word not in _OBJECT_ONLY and (place == 0 or not _after_adp(words, pos, heads, place)):
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
    place: int,
    pending: list[int],
    subject: int,
    finite: int,
    former: tuple[int, str],
    subordinate: bool,
    headline: bool,
) -> str:
    word = words[place]
    if word in _MODALS and pos[place] == "AUX":
        return "MD"
    if word in ("'m", "'re", "'ve", "'s"):
        return {"'s": "VBZ"}.get(word, "VBP")
    if word in BE and BE[word] in ("VBP", "VBZ", "VBD"):
        return BE[word]
    before = place - 1
    while before >= 0 and pos[before] in ("ADV", "PART") and words[before] != "to":
        before -= 1
    if before >= 0 and words[before] == "to":
        return "VB"
    if word in BE:
        return BE[word]
    cands = {tag for _, tag in readings(word)}
    if not cands:
        return "VBG" if word.endswith("ing") else "VBN" if word.endswith("ed") else ""
    if pos[place] == "AUX" and word in ("do", "have") and not pending:
        return "VBP"
    if pending:
        helper = words[pending[-1]]
        if helper in _MODALS or helper in _DO:
            return "VB" if "VB" in cands or not cands else sorted(cands)[-1]
        if word.endswith("ing"):
            return "VBG"
        if "VBN" in cands:
            return "VBN"
    if word.endswith("ing") and "VBG" in cands:
        return "VBG"
    if "VBZ" in cands:
        return "VBZ" if finite < 0 or subordinate or (place and pos[place - 1] == "PRON") else ""
    if finite >= 0 and before != finite:
        if "VBN" in cands:
            return "VBN"
        return "VB"
    if "VBD" in cands and "VBN" not in cands:
        return "VBD"
    if "VBN" in cands and "VBD" not in cands:
        return "VBN"
    who = subject if subject >= 0 else former[0]
    if "VBD" in cands and "VB" not in cands:
        if who < 0 or (subject < 0 and former[1] not in ("VBD", "")):
            return "VBN"
        if place and (words[place - 1] == "," or pos[place - 1] in ("VERB", "DET", "ADJ", "ADP")):
            return "VBN"
        if headline and place + 1 < len(words) and pos[place + 1] in ("ADP", "ADV", "PUNCT"):
            return "VBN"
        return "VBN" if _finite_ahead(words, pos, place) else "VBD"
    if "VB" in cands:
        if subject < 0:
            return "VBP" if former[1] == "VBP" else "VB"
        sure = (
            words[subject] in ("i", "you", "we", "they", "who", "that", "which", "these", "those")
            or tags[subject] == "NNS"
        )
        several = any(words[at] == "and" for at in range(max(0, subject - 8), subject))
        if sure or several:
            return "VBP"
        return "VBD" if "VBD" in cands else "VB"
    return ""


def _finite_ahead(words: list[str], pos: list[str], place: int) -> bool:
    """Whether the finite verb of this clause is still to come, which makes "dressed" in "a girl dressed as" no finite verb."""
    for at in range(place + 1, len(words)):
        if pos[at] in ("CONJ", "PUNCT"):
            return False
        if pos[at] in ("AUX", "VERB"):
            cands = {tag for _, tag in readings(words[at])}
            sure = words[at] in _MODALS or "VBZ" in cands or ("VBP" in cands) or ("VBD" in cands and "VBN" not in cands)
            return sure and pos[at - 1] != "PRON" and words[at - 1] != "to"
    return False


def _verb_follows(words: list[str], pos: list[str], place: int) -> bool:
    for at in range(place + 1, min(place + 4, len(words))):
        if pos[at] == "VERB" and ("VBN" if words[place] in _HAVE else "VB") in {tag for _, tag in readings(words[at])}:
            return True
        if words[at] == "been":
            return True
        if pos[at] not in ("ADV", "PART", "PRON"):
            return False
    return False


def _after_adp(words: list[str], pos: list[str], heads: list[int], place: int) -> bool:
    """Whether the noun phrase that ends at `place` hangs on a preposition."""
    first = place
    while first > 0 and heads[first - 1] == place:
        first -= 1
    first -= first > 0 and pos[first - 1] == "VERB" and words[first - 1].endswith("ing")  # "in bathing caps"
    return first > 0 and pos[first - 1] == "ADP" and words[first - 1] not in _SUBORDINATE


def _inverted(
    words: list[str], pos: list[str], deps: list[str], heads: list[int], place: int, pending: list[int]
) -> bool:
    """Whether the noun phrase at `place` stands right after an auxiliary that has no subject yet: a question."""
    first = place
    while first > 0 and heads[first - 1] == place:
        first -= 1
    first -= first > 0 and deps[first - 1] == "neg"
    helper = pending[-1]
    asked = first - 1 == helper and not any(
        dep == "nsubj" and heads[at] == helper for at, dep in enumerate(deps[helper:place], helper)
    )
    opens = helper == 0 or pos[helper - 1] in ("PUNCT", "CONJ") or words[helper - 1] in _SUBORDINATE
    verb_next = any(pos[at] == "VERB" for at in range(place + 1, min(place + 5, len(words))))
    return asked and (verb_next or (opens and words[helper] in _BE))


def _object(words: list[str], pos: list[str], deps: list[str], heads: list[int], verb: int, dep: str) -> None:
    """Marks the noun phrase right after the verb, if there is one before any preposition, verb or mark."""
    for at in range(verb + 1, len(words)):
        if pos[at] in ("ADP", "VERB", "AUX", "PUNCT", "CONJ") or words[at] == "to":
            return
        if pos[at] in _NOMINAL and heads[at] == at:
            following = words[at + 1 : at + 2]
            if pos[at] == "PRON" and words[at] not in _OBJECT_ONLY and following and pos[at + 1] in ("VERB", "AUX"):
                return  # "I know he went": the subject of another clause
            if not deps[at]:
                deps[at], heads[at] = dep, verb
            return
