"""English verb forms, from lemminflect's tables."""

from functools import cache

# Only "be" has more than the five forms of other verbs.
BE = {"am": "VBP", "are": "VBP", "is": "VBZ", "was": "VBD", "were": "VBD", "be": "VB", "been": "VBN", "being": "VBG"}
_BE_FORMS = {"VB": "be", "VBP": "are", "VBZ": "is", "VBD": "was", "VBN": "been", "VBG": "being"}

# Usually without an object, so their -ed forms before a preposition are past tense: "the army marched to the city".
_WITHOUT_OBJECT = frozenset(
    """
    act appear arrive begin belong collaborate come compete continue dance depart die emerge emigrate end enlist exist
    fall fight flow go graduate grow happen immigrate last lie live march move occur operate participate perform play
    reach reside remain result retire return rise sail serve sing sit sleep slip speak stand start stay study talk
    teach train travel turn wait walk work
    """.split()  # noqa: SIM905
)

# Take two objects: "gave her flowers".
TWO_OBJECTS = frozenset(
    """
    give tell show send offer teach buy bring ask pay lend hand write sell promise grant award cost owe wish call serve feed
    """.split()  # noqa: SIM905
)

# Participles before which "'s" is always "has": "it's rained", "he's worked here"; with "it's taken" it depends on what follows.
AFTER_HAS = frozenset(
    """
    been got had gone become come begun started happened arrived appeared belonged died disappeared emerged existed fallen
    graduated lain lasted laughed lived occurred rained remained risen sat slept snowed stayed stood talked travelled
    traveled waited walked worked
    """.split()  # noqa: SIM905
)


@cache
def readings(word: str) -> tuple[tuple[str, str], ...]:
    """(lemma, Penn tag) for each way to read `word`, in lower case, as a verb form; empty if it is not a known verb.

    >>> readings("went"), readings("put")[:2]
    ((('go', 'VBD'),), (('put', 'VB'), ('put', 'VBD')))
    """
    if word in BE:
        return (("be", BE[word]),)
    from lemminflect import getAllInflections, getAllLemmas

    found = set()
    for lemma in getAllLemmas(word, "VERB").get("VERB", ()):
        forms_of = getAllInflections(lemma, "VERB")
        forms_of.setdefault("VBN", forms_of.get("VBD", ()))  # the tables leave out regular forms
        for tag, forms in forms_of.items():
            if word in forms and tag != "VBP":  # the same as VB
                found.add((lemma, tag))
    return tuple(sorted(found))


def reads_as(word: str, *tags: str) -> bool:
    """Whether `word` can be one of these verb forms."""
    return any(tag in tags for _, tag in readings(word.lower()))


def takes_object(word: str) -> bool:
    """Whether a verb form, in lower case, belongs to a verb that usually takes an object.

    >>> takes_object("discovered"), takes_object("marched")
    (True, False)
    """
    return not any(lemma in _WITHOUT_OBJECT for lemma, _ in readings(word))


@cache
def form(lemma: str, tag: str) -> str:
    """The form of a verb for a Penn tag; `lemma` itself if the tables have none.

    >>> form("go", "VBD"), form("try", "VBZ"), form("be", "VBP")
    ('went', 'tries', 'are')
    """
    if lemma == "be":
        return _BE_FORMS[tag]
    from lemminflect import getInflection

    forms = getInflection(lemma, tag) or (getInflection(lemma, "VBD") if tag == "VBN" else ())
    return forms[0] if forms else lemma


@cache
def singular(noun: str) -> str:
    """The singular of `noun`, in lower case; `noun` itself if it is singular or unknown.

    >>> singular("men"), singular("islands"), singular("glass")
    ('man', 'island', 'glass')
    """
    from lemminflect import getAllInflections, getAllLemmas

    lemmas = getAllLemmas(noun, "NOUN").get("NOUN", ())
    plurals = (lemma for lemma in lemmas if noun in getAllInflections(lemma, "NOUN").get("NNS", ()) and lemma != noun)
    return next(plurals, noun)


@cache
def plural(noun: str) -> bool:
    """Whether `noun`, in lower case, is a plural: known as one, or unknown and ending like one."""
    from lemminflect import getAllInflections, getAllLemmas

    lemmas = getAllLemmas(noun, "NOUN").get("NOUN", ())
    if not lemmas:
        return noun.endswith("s") and not noun.endswith(("ss", "us", "is"))
    return any(noun != lemma and noun in getAllInflections(lemma, "NOUN").get("NNS", ()) for lemma in lemmas)
