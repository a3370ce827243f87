"""AugCSE's negation removal: negated sentences become affirmative."""

import re
from random import Random

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._lists import BEFORE, rewritten
from workbench.augmentations.text._verbs import form, reads_as
from workbench.augmentations.text._words import like_case
from workbench.core.method import Method

# "Can't", "won't" and "shan't" change more than their ending.
_SHORTENED = {"can": "can", "ca": "can", "wo": "will", "sha": "shall"}
_PRONOUN = (
    "i|you|he|she|it|we|they|there|this|that|these|those|anyone|anybody|everyone|everybody|someone|somebody|people"
)
_DETERMINER = "the|an?|my|your|his|her|its|our|their|any|some"
# "I'm not" keeps "I'm", but at the end of a clause nobody says "yes, I'm".
_CLITICS = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would", "s": "is"}
_AT_END = re.compile(r"\s*(?:$|[.,;:!?…)\]}—–]|- |['’\"”](?!\w))")
# "The firm's not unreasonable demand" has a possessive, which no pronoun has.
_OWNED = r"(?:un|in|im|ir|il|dis)[a-z]{3}"
# Between "do not" and its verb.
_ADVERB = r"(?:[a-z]+ly|even|ever|always|just|yet|still|quite|often|also|ever)"
_NEGATION = re.compile(
    rf"{BEFORE}(?:(?P<do>do|does|did)(?: not| ?n['’]t)(?:(?P<subject> (?:{_PRONOUN}|{_DETERMINER})\b)"
    rf"|(?P<between>(?: {_ADVERB})*) (?P<verb>[a-z]+)|)"
    r"|(?P<short>ca|wo|sha) ?n['’]t|(?P<can>can)not"
    rf"|(?P<clitic>(?:(?P<pronoun>{_PRONOUN}|who|what|where|here|let)|[^\W\d_]+)['’](?:m|re|ve|ll|d|s)) not"
    rf"(?(pronoun)|(?! (?:{_OWNED})))"
    r"|(?P<aux>am|are|can|could|had|has|have|is|may|might|must|shall|should|was|were|will|would)(?: not| ?n['’]t))"
    # "Not only ... but" is affirmative, and "not-for-profit" is a word.
    r"(?! (?:only|just|merely|least|to mention)\b)(?!['’-]?\w)",
    re.IGNORECASE,
)

_NOT = re.compile(r"^(?: not| ?n['’]t)", re.IGNORECASE)


def augcse_sentence_auxiliary_negation_removal(text: str, *, rng: Random) -> str:
    """`text` with "not" and "n't" (also " n't") removed from its auxiliaries, contracted ones ("it's not") included.

    "Do not" is removed as a whole, and the verb takes over its ending; in questions ("Don't you ...?") and where no
    verb follows, "do" stays. The published code leaves "he like" for "he does not like"; this does not. Words that need
    a negation ("anything", "yet") stay as they are. Every draw gives the same text.

    Prefer it over `augcse_antonym_substitute` when adjectives must stay; a text without a negated auxiliary comes
    back unchanged.

    >>> augcse_sentence_auxiliary_negation_removal("He doesn't sing and can't dance.", rng=Random(0))
    'He sings and can dance.'
    """
    return rewritten(_NEGATION, normalised(text), _affirmed)


def _affirmed(match: "re.Match[str]") -> str:
    if clitic := match["clitic"]:
        return _in_full(clitic) if _AT_END.match(match.string, match.end()) else clitic
    if match["do"] is None:
        kept = match["short"] or match["can"] or match["aux"]
        return like_case(kept, _SHORTENED.get(kept.lower(), kept))
    do, verb = match["do"], match["verb"]
    if verb is None or not reads_as(verb, "VB"):
        return do + _NOT.sub("", match[0][len(do) :])
    tag = {"do": "VB", "does": "VBZ", "did": "VBD"}[do.lower()]
    changed = form(verb.lower(), tag) if tag != "VB" else verb.lower()
    # "It does not have" gives "it has", not "haves"; lemminflect knows.
    first = (match["between"] or "").lstrip()
    result = f"{first} {like_case(verb, changed)}" if first else like_case(verb, changed)
    return result[:1].upper() + result[1:] if do[0].isupper() and not do.isupper() else result


def _in_full(clitic: str) -> str:
    """The words of a contraction: "I am" for "I'm"; "let's" stays.

    >>> _in_full("I'm"), _in_full("HE’S"), _in_full("Let's")
    ('I am', 'HE IS', "Let's")
    """
    word, _, ending = clitic.replace("’", "'").rpartition("'")
    if word.lower() == "let":
        return clitic
    full = _CLITICS[ending.lower()]
    return f"{word} {full.upper() if ending.isupper() else full}"


METHOD = Method(
    augcse_sentence_auxiliary_negation_removal,
    title="Remove negations",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    tags={
        "class": "meaning_alteration",
        "role": "negative",
        "language": "english",
        "alias": "SentenceAuxiliaryNegationRemoval",
        "table": "augcse",
        "pools": "augcse_12",
    },
)
