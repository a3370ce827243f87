"""Whether the rule parser of English is worth keeping: augmentations that need a parse, with it and without.

    python -m experiments.judged.parser draw FOLDER DATA    sheet.tsv, shuffled and blind to the variant
    python -m experiments.judged.parser join FOLDER DATA    parser.tsv of this folder, from the sheet with its verdicts
    python -m experiments.judged.parser count               what is in parser.tsv, in numbers

The other variant is the simplest that could do: the same words and parts of speech, each verb read by its form alone, the
nearest noun before it its subject and the noun phrase right after it its object. Sentences are drawn evenly from the demo's pairs
(parser.tsv: from 500 earlier ones), the development part of STS-B and NLI, and taken in order until for each augmentation
`SENTENCES` were changed by either.

A verdict is `right` where the text is grammatical (for Yoda in his order, for summaries as a row of subject, verb and object)
and stands to its original as the augmentation says: who did what is exchanged; all is in the asked tense; all is still said;
what is left is said by the original. Else it is `wrong`. Texts that both variants make are judged once.
"""

import csv
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

from workbench.augmentations.catalogue import find_augmentation
from workbench.augmentations.parser import Node, Parser
from workbench.augmentations.text._rule_parse import parse
from workbench.augmentations.text._rule_words import rows
from workbench.augmentations.text._verbs import plural, readings
from workbench.data import demo
from workbench.statistics.wilson import wilson

AUGMENTATIONS = (
    "augcse_sentence_subject_object_switch",
    "augcse_summarization",
    "augcse_tense_transformation",
    "augcse_yoda_perturbation",
)
SENTENCES = 40
MOST_WORDS = 18
"""Words of the longest sentence used; longer ones are read less carefully."""
SEED = 29
JUDGED = Path(__file__).with_suffix(".tsv")
COLUMNS = ("augmentation", "source", "before", "rules", "nearest", "rules_verdict", "nearest_verdict")
_FINITE = ("VBD", "VBZ", "VB")  # in this order; the bare form counts as the present


def nearest(text: str) -> list[Node]:
    """Nodes found by parts of speech and neighbouring words only."""
    cut = rows(text)
    words = [text[start:end].lower().replace("’", "'") for start, end, _ in cut]
    pos = [kind for _, _, kind in cut]
    for place, word in enumerate(words):
        if pos[place] == "CLITIC":
            pos[place] = "PART" if word in ("n't", "'s") else "AUX"
            if word == "n't":
                pos[place - 1] = "AUX"
    size = len(cut)
    heads, deps, tags = list(range(size)), [""] * size, [""] * size
    noun = ("NOUN", "PROPN", "PRON")
    root, subject = -1, -1
    for place, word in enumerate(words):
        if pos[place] in noun:
            tags[place] = "NNS" if pos[place] == "NOUN" and plural(word) else "NN"
            at = place - 1
            while at >= 0 and pos[at] in ("DET", "ADJ", "NUM", "NOUN", "PROPN"):
                heads[at] = place
                at -= 1
            subject = place
        elif word in ("not", "never", "n't"):
            deps[place] = "neg"
        elif pos[place] in ("VERB", "AUX"):
            forms = [tag for _, tag in readings(word)]
            tags[place] = next((tag for tag in _FINITE if tag in forms), forms[0] if forms else "MD")
            tags[place] = "VBP" if tags[place] == "VB" else tags[place]
            follows = next((at for at in range(place + 1, min(place + 4, size)) if pos[at] == "VERB"), None)
            if pos[place] == "AUX" and follows is not None:
                heads[place], deps[place] = follows, "aux"
            elif root < 0:
                root, deps[place] = place, "ROOT"
            if deps[place] != "aux":
                if subject >= 0:
                    heads[subject], deps[subject] = place, "nsubj"
                at = place + 1
                while at < size and pos[at] in ("DET", "ADJ", "NUM"):
                    at += 1
                if at < size and pos[at] in noun:
                    while at + 1 < size and pos[at + 1] in ("NOUN", "PROPN"):
                        at += 1
                    heads[at], deps[at] = place, "dobj"
        elif pos[place] == "PUNCT":
            deps[place] = "punct"
        elif pos[place] == "CONJ":
            deps[place] = "cc"
    return [Node(text[a:b], a, b, pos[at], tags[at], deps[at], heads[at]) for at, (a, b, _) in enumerate(cut)]


PARSERS: dict[str, Parser] = {"rules": parse, "nearest": nearest}


def sentences(data: Path) -> Iterator[tuple[str, str]]:
    """(source, text) pairs, alternating between the sources, each shuffled."""
    pools = {
        "demo": [
            text
            for split in demo.PAIR_FILES
            for row in demo.pair_rows(split).values()
            for text in (row.sentence1, row.sentence2)
        ]
    }
    for name, file, columns in (("sts", "sts/stsb-dev.tsv", (-2, -1)), ("nli", "nli/triplets.tsv", (0, 1, 2))):
        lines = (data / file).read_text(encoding="utf-8").splitlines()[1:]
        pools[name] = [cells[at] for line in lines if len(cells := line.split("\t")) >= 3 for at in columns]
    drawn = []
    for name, texts in pools.items():
        own = sorted({text.strip() for text in texts if 3 < len(text.split()) <= MOST_WORDS})
        Random(f"{SEED} {name}").shuffle(own)
        drawn.append([(name, text) for text in own])
    for group in zip(*drawn, strict=False):
        yield from group


def pairs(data: Path) -> list[dict[str, str]]:
    """For each augmentation, the sentences that either variant changes, with both results (empty: unchanged)."""
    found: list[dict[str, str]] = []
    for name in AUGMENTATIONS:
        fn, count = find_augmentation(name).fn, 0
        for source, text in sentences(data):
            made = {}
            for variant, parser in PARSERS.items():
                new = partial(fn, parser)(text, rng=Random(f"{SEED} {text}"))
                made[variant] = "" if new == text else new
            if any(made.values()):
                found.append({"augmentation": name, "source": source, "before": text, **made})
                count += 1
            if count == SENTENCES:
                break
    return found


def sheet(rows_: list[dict[str, str]]) -> list[tuple[str, str, str]]:
    """What is judged: augmentation, original and text, each once, shuffled."""
    found = sorted({(row["augmentation"], row["before"], row[name]) for row in rows_ for name in PARSERS if row[name]})
    Random(SEED).shuffle(found)
    return found


def table(path: Path) -> list[dict[str, str]]:
    """The rows of a TSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def write(path: Path, columns: tuple[str, ...], lines: list[list[str]]) -> None:
    """A TSV file with these columns."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(lines)


def main(what: str, folder: str = "", data: str = "") -> None:
    """See above."""
    if what == "draw":
        blind = [[str(number), *row, ""] for number, row in enumerate(sheet(pairs(Path(data))))]
        write(Path(folder) / "sheet.tsv", ("number", "augmentation", "before", "text", "verdict"), blind)
    elif what == "join":
        verdicts = {
            (r["augmentation"], r["before"], r["text"]): r["verdict"] for r in table(Path(folder) / "sheet.tsv")
        }
        lines: list[list[str]] = []
        for row in pairs(Path(data)):
            own = [verdicts[row["augmentation"], row["before"], row[name]] if row[name] else "" for name in PARSERS]
            lines.append([*row.values(), *own])
        write(JUDGED, COLUMNS, lines)
    else:
        for name in [*AUGMENTATIONS, "all"]:
            judged = [row for row in table(JUDGED) if name in (row["augmentation"], "all")]
            for variant in PARSERS:
                given = [row[f"{variant}_verdict"] for row in judged if row[variant]]
                low, high = wilson(given.count("right"), len(given))
                share = f"{given.count('right')} of {len(given)} right, 95 % {100 * low:.0f} to {100 * high:.0f} %"
                print(f"{name:40} {variant:8} changed {len(given)} of {len(judged)}: {share}")


if __name__ == "__main__":
    main(*sys.argv[1:])
