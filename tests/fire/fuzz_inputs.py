"""Bad input: valid input, changed at random, with strings that break programs."""

from random import Random
from typing import Any

WORDS = """
../../../etc/passwd /etc/passwd /proc/self/mem /dev/null ~ ~nobody ~root/x # ## @ @@ + +@+ : :: ; , = %s%n {0} None
nan inf -1 0 1e999 -0.0 true hf: hf:a/b:c:d:e demo: demo:x texts: texts:," sts@
stsb:dev@ backbone: one_of( eda_swap[1] eda_swap@ (?R)
(a+)+$ (?:(?:a{999}){999}){999} (?P<x>(?&x)) \\N{x} <script> =1+1 . .. / con * ? [x | $(id) `id` ' " \\
"""
LONG = [
    "x" * 300,
    "y" * 5000,
    "x#" + "z" * 5000,
    "9" * 400,
    "9" * 5000,
    "a/" * 200,
    "é" * 50,
    "👩‍👩‍👧",
    "(" * 300,
    "[" * 300,
    "{" * 300,
    '"' * 99,
]
UNSEEN = ["", " ", "\t", "\n", "\r", "\0", "\ud800", "\udcff", "\u202e\u2066", "\ufeff", "\x1b[31m"]
NASTY = [*WORDS.split(), *LONG, *UNSEEN]
VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    3.5,
    1e308,
    float("nan"),
    10**20,
    10**400,
    "x",
    "",
    [],
    {},
    [[]],
    {"a": {}},
    "\ud800",
]
LINES = [
    "eda_swap",
    "eda_swap(rate=0.2) + typo_noise@0.5",
    "one_of(typo_noise, case_noise)@0.5 + eda_delete",
    "token_cutoff",
    "augcse_12",
    "arc_masks[1]",
    'mirror_span(mask="[MASK]")',
    'embedding_word(vectors="glove")',
    "case_noise + modals_gaussian",
]
TARGETS = [
    "minilm-l3",
    "minilm-l3@best",
    "minilm-l3:cls+whitening(k=64)",
    "minilm-l3+centre(on=demo:dev)",
    "tfidf(on=demo)",
    "hf/x@main",
    "minilm-l3:mean(without=3, on=demo)+standardise",
    "20260101-000000-simcse-unsup-minilm-l3-s0-0000@last",
]
SOURCES = [
    "demo",
    "demo:dev",
    "texts:demo:dev,demo:test",
    "FILE.tsv",
    "FILE.tsv#text",
    "stsb:dev@.",
    "sts@.",
    "hf:org/name:config:train:text",
]


def bent(rng: Random, text: str) -> str:
    """`text` after one to three changes: cut, doubled, swapped, with something nasty in it or in its place."""
    for _ in range(rng.randint(1, 3)):
        at, end = sorted(rng.randint(0, len(text)) for _ in range(2))
        nasty = rng.choice(NASTY)
        text = rng.choice(
            [
                text[:at] + nasty + text[at:],
                text[:at] + text[end:],
                text[:at] + nasty + text[end:],
                text[:end] + text[at:],
                nasty,
            ]
        )
    return text


def bent_bytes(rng: Random, content: bytes) -> bytes:
    """The same of bytes; half of the time a few of them are simply others."""
    if rng.random() < 0.5 and content:
        changed = bytearray(content)
        for _ in range(rng.randint(1, 8)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        return bytes(changed)
    at, end = sorted(rng.randint(0, len(content)) for _ in range(2))
    nasty = rng.choice(NASTY).encode("utf-8", "surrogatepass")
    return rng.choice(
        [
            content[:at],
            content[:at] + nasty + content[at:],
            content[:at] + content[end:],
            content[:end] + content[at:],
            nasty,
        ]
    )


def bent_value(rng: Random, value: Any) -> Any:
    """A JSON value with something else in one place."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        name = rng.choice(list(value))
        if rng.random() < 0.15:
            return {key: item for key, item in value.items() if key != name}
        return {**value, name: bent_value(rng, value[name])}
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        return [*value[:at], bent_value(rng, value[at]), *value[at + 1 :]]
    return rng.choice([*VALUES, rng.choice(NASTY)])
