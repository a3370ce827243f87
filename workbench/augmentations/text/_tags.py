"""Parts of speech of English words from closed lists, lemminflect's lexicon and a few context rules: small, fast, no model."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from workbench.augmentations.text._abbreviations import abbreviated
from workbench.augmentations.text._verbs import readings
from workbench.augmentations.text._words import locked, tokens

TAGS = ("NOUN", "VERB", "AUX", "ADJ", "ADV", "DET", "PRON", "ADP", "CONJ", "NUM", "PROPN", "PART", "OTHER")


class Tagged(NamedTuple):
    """A word, its part of speech (one of TAGS), and its index in `tokens(text)`."""

    word: str
    tag: str
    part_index: int


_CLOSED_LISTS = {
    "DET": "a an the every no my your his her its our their another",
    "PRON": """i you he she it we they me him us them mine yours hers ours theirs myself yourself himself herself itself
        ourselves themselves who whom whose what whoever whatever something anything nothing everything someone anyone
        everyone nobody somebody anybody everybody none i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's
        she'd she'll it's it'll it'd we're we've we'd we'll they're they've they'd they'll that's there's here's who's
        what's oneself""",
    "AUX": """am is are was were be been being can could will would shall should may might must cannot can't won't isn't
        aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't couldn't wouldn't shouldn't mustn't ain't let's""",
    "ADP": """of in on at by for with about against between into through during before after above below from up down over
        under upon within without along across behind beside beyond near toward towards around among per via onto off out
        as than despite except inside outside past amid like atop throughout""",
    "CONJ": "and or but nor if because while although though unless whether when where until since whereas yet",
    "PART": "not",
    "ADV": """very too also just only even still ever never quite rather again further then once here now soon always often
        already almost perhaps maybe however therefore thus instead really away together sometimes usually why how so well
        far today tonight tomorrow yesterday later abroad else indeed meanwhile moreover nevertheless""",
    "NUM": """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion""",
    "VERB": "born",
    "OTHER": "please yes oh hello hi wow hey okay thanks",
}
_CLOSED = {word: tag for tag, words in _CLOSED_LISTS.items() for word in words.split()}
_CLOSED |= {
    f"{word}'s": "PRON" for word in _CLOSED if word.endswith(("one", "body", "thing")) and _CLOSED[word] == "PRON"
}
# A determiner before a noun, a pronoun otherwise.
_EITHER = frozenset(
    "this these those all some each both any either neither which many much few several most more".split()  # noqa: SIM905
)
_HAVE, _DO = frozenset(("have", "has", "had")), frozenset(("do", "does", "did"))
_BE = frozenset(
    "am is are was were be been being isn't aren't wasn't weren't i'm you're he's she's it's we're they're that's".split()  # noqa: SIM905
)
_OBJECTS = frozenset("me him us them mine yours hers ours theirs myself himself herself itself themselves".split())  # noqa: SIM905
_GRAMMAR = frozenset(_CLOSED) | _EITHER | _HAVE | _DO | {"to", "that", "there"}
# Verbs that are also listed as nouns, and count as verbs if nothing else decides.
_VERBS_FIRST = frozenset(
    """
    ask be become begin believe break bring build buy call carry catch choose climb come cook cry cut dance do draw drink
    drive eat enjoy fall feel fight find fix fly follow get give go grow hang hear help hit hold jump keep kick know lead
    learn leave let listen live look lose love make meet move need open pay perform pick play pull push put read remain
    remember ride run say see sell send serve show sing sit sleep smile speak spend stand start stay stop swim take talk
    teach tell think throw try turn understand use visit wait walk want wash watch wear win work write
    """.split()  # noqa: SIM905
)
# First words of a sentence that belong to a name after them ("United Airlines") or never do ("Former President Bush").
_VERBS_IN_NAMES = frozenset("advanced allied associated united".split())  # noqa: SIM905
_NEVER_NAMES = frozenset("former incumbent senior top early earlier late last next".split())  # noqa: SIM905
_DEGREES = frozenset(("very", "too", "so", "quite", "more", "most", "rather"))
# Directly after these "home" is an adverb, unless a noun follows: "goes home", not "run home businesses".
_MOTION = frozenset(
    """
    arrive arrived arrives arriving came come comes coming drive drives driving drove flew flies fly flying go goes going
    gone got head headed heading heads ran return returned returning returns ride rides riding rode run running runs travel
    travels walk walked walking walks went
    """.split()  # noqa: SIM905
)
_PLURALS = frozenset("people men women children police".split())  # noqa: SIM905
_ENDINGS = {"r": "ly", "v": "ing ed ise ize", "a": "ous ful able ible less ive ish ical"}
_SUFFIXES = [(ending, kind) for kind, endings in _ENDINGS.items() for ending in endings.split()]
_FULL = {"n": "NOUN", "v": "VERB", "a": "ADJ", "r": "ADV"}
_CLITIC = re.compile(r"['’](?:s|re|ve|ll|d|m)$")


def tagged(text: str) -> list[Tagged]:
    """The words of an English text with their parts of speech, in order.

    `be` is always AUX, as in Universal Dependencies; unlike there, possessives (`her`) are DET. Locked words are OTHER.

    >>> [(word, tag) for word, tag, _ in tagged("The old dog runs.")]
    [('The', 'DET'), ('old', 'ADJ'), ('dog', 'NOUN'), ('runs', 'VERB')]
    """
    return tagged_tokens(tokens(text))


def tagged_tokens(parts: list[str]) -> list[Tagged]:
    """`tagged` for a text already split by `tokens`."""
    words = parts[1::2]
    plain = [word.lower() if word.isascii() else word.lower().replace("’", "'") for word in words]
    # In a headline, or a text in capitals, a capital does not indicate a name.
    named = any(word[0].islower() and low not in _CLOSED for word, low in zip(words, plain, strict=True))
    kinds = [_kinds(low) for low in plain]
    for index in (place for place, low in enumerate(plain) if low == "home" and place and plain[place - 1] in _MOTION):
        kinds[index] = kinds[index] if kinds[index + 1 : index + 2] == ["n"] else "r"
    # Words across a full stop or a comma are not neighbours.
    apart = [part != " " and part.strip() != "" for part in parts[2::2]]
    for index, part in enumerate(parts[2:-1:2]):
        if part == ". " and abbreviated(f"{words[index]}. {words[index + 1]}", len(words[index])):
            apart[index] = False
    result: list[Tagged] = []
    two: set[int] = set()
    before, before_word, last_content = "", "", ""
    for index, word in enumerate(words):
        low, kind = plain[index], kinds[index]
        follows = index + 1 < len(words) and not apart[index]
        after, after_word = (kinds[index + 1], plain[index + 1]) if follows else ("", "")
        if index and apart[index - 1]:
            before, before_word = "", ""
        if low not in _GRAMMAR and _one_of_two(index, before, before_word, plain, kinds, apart):
            two.update((index, index + 2))
        if low in _GRAMMAR:
            tag = _closed(low, before, before_word, after, after_word, index, plain, kinds)
        elif kind in ("LOCK", "NUM"):
            tag = "OTHER" if kind == "LOCK" else "NUM"
        elif named and word[0].isupper():
            starts = not index or (apart[index - 1] and any(stop in parts[2 * index] for stop in ".!?:"))
            tag = "PROPN" if not starts or kind == "?" else _open(low, kind, before, before_word, after, last_content)
            tag = "ADJ" if index in two and tag != "PROPN" else tag
            if follows and words[index + 1][0].isupper() and after_word not in _GRAMMAR and _names(low, tag):
                tag = "PROPN"
        elif kind == "?":
            tag = "PROPN" if word[0].isupper() else _FULL[_guess(low)]
        else:
            tag = "ADJ" if index in two else _open(low, kind, before, before_word, after, last_content)
        if tag == "ADV" and "a" in kind and _after_be(result, plain, apart, kind, after):
            tag = "ADJ"
        result.append(Tagged(word, tag, 2 * index + 1))
        before, before_word = tag, low
        if tag in ("NOUN", "VERB", "ADJ", "PROPN"):
            last_content = tag
    _find_verbs(result, apart)
    return result


def _after_be(words: list[Tagged], plain: list[str], apart: list[bool], kind: str, after: str) -> bool:
    """Whether the next word, an adverb or an adjective, is what somebody is: "it is not easy", not "it was not long ago"."""
    place = len(words) - 1
    while place >= max(0, len(words) - 4) and not apart[place] and (words[place].tag == "ADV" or plain[place] == "not"):
        place -= 1
    if place < 0 or place == len(words) - 1 or apart[place] or plain[place] not in _BE:
        return False
    if plain[len(words)] == "ago" or ("v" in after and "n" not in after):  # "was not first elected"
        return False
    return kind == "ar" or not (after == "ADV" or "r" in after)


def _find_verbs(words: list[Tagged], apart: list[bool]) -> None:
    """Correct, in place, clauses whose verb was taken for a noun: "the price rose from 5", "Google buys a startup"."""
    start = 0
    for place in range(len(words)):
        if not apart[place] and place + 1 < len(words) and words[place + 1].tag != "CONJ":
            continue
        clause, start = range(start, place + 1), place + 1
        after = words[clause[2]].tag if len(clause) > 2 else ""
        if after in ("DET", "PRON", "NUM") and _names_a_buyer(words[clause[0]], words[clause[1]]):
            words[clause[0]] = words[clause[0]]._replace(tag="PROPN")
            words[clause[1]] = words[clause[1]]._replace(tag="VERB")
        if any(words[at].tag in ("VERB", "AUX") for at in clause):
            continue
        past = next((at for at in clause[1:] if words[at].tag == "NOUN" and _is_past(words[at - 1], words[at])), None)
        if past is not None:
            words[past] = words[past]._replace(tag="VERB")


def _names_a_buyer(first: Tagged, second: Tagged) -> bool:
    """Whether two words that seem a verb and its object are a name, also known as a verb, and a verb: "Google buys"."""
    if first.tag != "VERB" or not first.word[0].isupper() or first.word.lower() in _VERBS_FIRST or second.tag != "NOUN":
        return False
    return any(tag == "VBZ" and lemma in _VERBS_FIRST for lemma, tag in readings(second.word.lower()))


def _is_past(before: Tagged, word: Tagged) -> bool:
    """Whether a noun after another is also the irregular past of a verb: rose, saw, left."""
    low = word.word.lower()
    return before.tag in ("NOUN", "PROPN") and any(tag == "VBD" and lemma != low for lemma, tag in readings(low))


def listed(low: str) -> bool:
    """Whether the lexicon has `low`, a word in lower case; it has no names."""
    return low in _lexicon()


def is_measured(words: list[Tagged], index: int) -> bool:
    """Whether the adjective at `index` measures something: "ten years old", "38-year old"."""
    before = words[index - 1].word if index else ""
    counted = index > 1 and words[index - 2].tag == "NUM" and words[index - 1].tag == "NOUN"
    return counted or any(letter.isdigit() for letter in before if "-" in before)


def mainly_verb(low: str) -> bool:
    """Whether a word in lower case is a verb if nothing around it decides.

    >>> mainly_verb("leave"), mainly_verb("pursue"), mainly_verb("house")
    (True, True, False)
    """
    return low in _VERBS_FIRST or _kinds(low) == "v"


def _closed(
    low: str, before: str, before_word: str, after: str, after_word: str, index: int, plain: list[str], kinds: list[str]
) -> str:
    """The tag of a word of the closed lists."""
    names = after in ("?", "LOCK", "NUM") or "n" in after or "a" in after  # a noun may begin here
    if low == "to":
        verb = after == "v" or (after_word in _VERBS_FIRST) or after_word in ("have", "do", "be")
        return "PART" if verb or ("v" in after and kinds[index + 2 : index + 3] in (["DET"], ["PRON"])) else "ADP"
    if low == "that":
        if before in ("VERB", "ADJ") or (not before and after in ("DET", "PRON")):
            return "CONJ"
        return "DET" if names and before not in ("NOUN", "PROPN") else "PRON"
    if low == "there":
        return "PRON" if after_word in _BE or after == "AUX" else "ADV"
    if low in _EITHER:
        return "DET" if names or after == "DET" else "PRON"
    if low in _HAVE or low in _DO:
        if low in _DO and after == "PART":
            return "AUX"
        if index == 0 or plain[index - 1] in ("why", "how", "when", "where", "what", "who"):
            return "AUX"  # a question
        # An auxiliary if the verb itself follows, with at most a subject, `not` and adverbs between.
        for place in range(index + 1, min(index + 4, len(plain))):
            word, kind = plain[place], kinds[place]
            if kind in ("PRON", "PART", "ADV", "r") or word in ("been", "had"):
                if word in ("been", "had"):
                    return "AUX"
                continue
            verb = "v" in kind and (low in _DO or word.endswith(("ed", "n", "t", "e", "d", "k", "g")))
            return "AUX" if verb and (kind[0] == "v" or word in _VERBS_FIRST or place > index + 1) else "VERB"
        return "VERB"
    if low == "like":
        subject = before == "PRON" and before_word not in _OBJECTS and before_word not in _BE
        return "VERB" if subject or before == "PART" or (before == "AUX" and before_word not in _BE) else "ADP"
    if low == "her" and after in ("", "ADP", "DET", "CONJ", "PART"):
        return "PRON"
    if low == "past" and before == "DET":
        return "NOUN"
    return _CLOSED[low]


def _names(low: str, tag: str) -> bool:
    """Whether the first word of a sentence and a name after it make one name: "South Korea", "United Airlines"."""
    if tag == "VERB":
        return low in _VERBS_IN_NAMES
    return low not in _NEVER_NAMES and not low.endswith("ly")


def _one_of_two(
    index: int, before: str, before_word: str, plain: list[str], kinds: list[str], apart: list[bool]
) -> bool:
    """Whether the word at `index` and the one after "and" or "or" are two adjectives: "old and new cars", "is hot or cold"."""
    if index + 2 >= len(plain) or plain[index + 1] not in ("and", "or") or any(apart[index : index + 2]):
        return False
    pair = [(plain[place], kinds[place]) for place in (index, index + 2)]
    if any("a" not in kind or ("v" in kind and word.endswith(("ing", "ed"))) for word, kind in pair):
        return False
    described = before in ("ADV", "PART") or before_word in _EITHER
    if before_word in _BE or (described and index > 1 and plain[index - 2] in _BE):
        return True
    if any("v" in kind for _, kind in pair):  # not "they open and close doors"
        named = before in ("DET", "ADJ", "NUM", "ADP") or before_word in _DEGREES or before_word in _OBJECTS
        if before_word == "to" or not (named or (before in ("", "VERB", "CONJ") and pair[0][0] not in _VERBS_FIRST)):
            return False
    following = kinds[index + 3] if index + 3 < len(plain) and not apart[index + 2] else ""
    return "n" in following or "a" in following or following in ("?", "LOCK")


def _open(low: str, kind: str, before: str, before_word: str, after: str, last_content: str) -> str:
    """The tag of a word of the lexicon, from those it can have (`kind`, letters of nvar) and its neighbours."""
    if kind == "?":
        kind = _guess(low)
    noun_next = after in ("?", "LOCK") or "n" in after
    if len(kind) == 1:
        bare = kind == "v" and before == "DET" and before_word != "her" and not (noun_next or "a" in after)
        return "NOUN" if bare and not low.endswith(("ed", "en", "ing")) else _FULL[kind]  # "the dub"
    be = before_word in _BE
    named = before in ("DET", "ADJ", "NUM", "ADP") and not be
    asked = (
        before == "PART"
        or (before == "AUX" and not be)
        or (before == "PRON" and before_word not in _OBJECTS and not be)
    )
    if "v" in kind:
        if low.endswith("ing"):
            if be or after in ("DET", "PRON") or before in ("NOUN", "PROPN", "VERB", "CONJ", ""):
                return "ADJ" if be and "a" in kind and after in ("", "CONJ") else "VERB"
            if "a" in kind and noun_next:
                return "ADJ"
            if "a" in kind and before == "ADV" and before_word in _DEGREES:
                return "ADJ"
            return "NOUN" if "n" in kind and named and not noun_next else "VERB"
        if low.endswith("ed") and "a" in kind:
            return "ADJ" if (named and noun_next) or (be and after not in ("ADP", "PART")) else "VERB"
        if asked and not (before == "PART" and before_word == "not" and "a" in kind):
            return "VERB"
    if "a" in kind and (be or (before == "ADV" and before_word in _DEGREES)):
        return "ADJ"
    if "a" in kind and noun_next and (named or before in ("", "VERB", "CONJ")):
        return "ADJ"
    if named:
        return "NOUN" if "n" in kind else "ADJ" if "a" in kind else "ADV" if "r" in kind else "VERB"
    if "r" in kind and not (before in ("NOUN", "PROPN") and "v" in kind and "n" in kind and low != "back"):
        return "ADV"
    if "v" in kind and "n" in kind:
        return _noun_or_verb(low, before, before_word, after, last_content)
    if "a" in kind:
        return "ADJ" if noun_next or before != "VERB" or "n" not in kind else "NOUN"
    return _FULL[kind[0]]


def _noun_or_verb(low: str, before: str, before_word: str, after: str, last_content: str) -> str:
    phrase = after in ("DET", "PRON", "PART", "ADP", "NUM", "ADV", "r")
    if before in ("NOUN", "PROPN"):
        plural = before_word in _PLURALS or (before == "NOUN" and before_word.endswith("s") and len(before_word) > 3)
        if low.endswith("s") and not low.endswith("ss"):
            return "NOUN" if plural else "VERB"
        return "VERB" if plural and (phrase or after == "" or low in _VERBS_FIRST) else "NOUN"
    if before == "ADV":
        return "VERB" if low in _VERBS_FIRST or phrase or last_content in ("NOUN", "PROPN") else "NOUN"
    if before == "CONJ":
        third = low.endswith("s") and phrase
        asked = low in _VERBS_FIRST and after == "r"
        return "VERB" if third or asked or (last_content == "VERB" and after in ("DET", "PRON", "PART")) else "NOUN"
    if before == "":
        return (
            "VERB"
            if after in ("DET", "PRON") or (low in _VERBS_FIRST and (phrase or after in ("?", "LOCK")))
            else "NOUN"
        )
    return "VERB" if before == "PRON" and before_word in ("who", "that", "which") else "NOUN"


def _guess(low: str) -> str:
    """A letter of nvar guessed from the ending of an unknown word."""
    return next((kind for ending, kind in _SUFFIXES if len(low) > len(ending) + 2 and low.endswith(ending)), "n")


@lru_cache(100_000)
def _kinds(low: str) -> str:
    """What a word can be: the tag of a closed word, letters of nvar, NUM, LOCK, or ? if unknown."""
    if low in _CLOSED:
        return _CLOSED[low]
    if low in _EITHER:
        return "DET"
    if low == "to":
        return "ADP"
    if low in _HAVE or low in _DO:
        return "v"
    if locked(low):
        return "LOCK"
    if low[0].isdigit():
        return "NUM"
    known = _lexicon().get(low)
    if known is None and (clitic := _CLITIC.search(low)):
        known = _lexicon().get(low[: clitic.start()])
        known = "n" if known and "n" in known and low.endswith("s") else known  # "the country's": an owner is a noun
    if known is None and "-" in low:
        known = _lexicon().get(low.rsplit("-", 1)[1])
        known = "a" if known and ("v" in known or "a" in known) and not known.startswith("n") else known
    return known or "?"


@cache
def _lexicon() -> dict[str, str]:
    """The parts of speech of 70,000 word forms, as letters of nvar."""
    from lemminflect import config
    from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec

    letters = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
    found = {}
    for word, lemmas in LemmaLUCodec.load(config.lemma_lu_fn).items():
        kinds = "".join(letter for tag, letter in letters.items() if tag in lemmas)
        if kinds and not word[0].isupper():
            found[word] = kinds
    return found
