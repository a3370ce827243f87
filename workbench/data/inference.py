"""Triplets from natural language inference: what a premise entails as positive, what contradicts it as hard negative."""

from collections.abc import Collection

from workbench.core.errors import BadData
from workbench.data.columns import INFERENCE
from workbench.data.labels import NLI, of_inference
from workbench.data.texts import CorpusTexts, hash_columns

TRIPLETS = "triplets"
"""After the `#` of a file: its labelled pairs are used as triplets."""


def gives_triplets(names: Collection[str], roles: Collection[str], labels: Collection[str] = ()) -> bool:
    """Whether columns of these names and roles are premise, hypothesis and label. Where the names do not say so, as in SNLI and
    MultiNLI with their `sentence1` and `sentence2`, the first cells of the column of `labels` do.

    >>> gives_triplets(["Premise", "hypothesis", "label"], ["text", "positive", "label"])
    True
    >>> pairs = ["sentence1", "sentence2", "gold_label"], ["text", "positive", "label"]
    >>> gives_triplets(*pairs, ["neutral", "-"]), gives_triplets(*pairs, ["0", "1"])
    (True, False)
    """
    said = {name.strip().casefold() for name in names} >= INFERENCE or of_inference(labels)
    return said and {*roles} == {"text", "positive", "label"}


def triplets(corpus: CorpusTexts) -> CorpusTexts:
    """The triplets of a corpus of labelled pairs, grouped by premise, in the order in which premises first occur.

    Each entailed hypothesis of a premise is a positive once. The contradictions of that premise are its hard negatives in
    turn: with fewer of them than positives they are used again, with more the last ones are left out. Premises that lack
    either are left out, and so are neutral and unlabelled rows.

    Raises:
        BadData: the corpus has no classes of inference, or fewer than two triplets come of it.
    """
    if corpus.columns.keys() != {"text", "positive"} or "label" not in corpus.numbers or corpus.classes != NLI:
        raise BadData(
            f"{corpus.name} cannot be made into triplets.",
            rule="That takes a premise, a hypothesis and a label in each row: entailment, neutral or contradiction.",
            got=f"{corpus.kind.replace('_', ' ')}"
            + (f" with labels {', '.join(corpus.classes[:5])}" if corpus.classes else ""),
            way_out="Write classes that are numbers as words: which number means what differs between data sets. Or use the file "
            "as it is, without #triplets.",
        )
    groups: dict[str, tuple[list[str], list[str]]] = {}
    sides = {NLI.index("entailment"): 0, NLI.index("contradiction"): 1}
    rows = zip(corpus.columns["text"], corpus.columns["positive"], corpus.numbers["label"].tolist(), strict=True)
    for premise, hypothesis, label in rows:
        if label in sides:
            groups.setdefault(premise, ([], []))[sides[label]].append(hypothesis)
    built = [
        (premise, positive, negatives[place % len(negatives)])
        for premise, (positives, negatives) in groups.items()
        if negatives
        for place, positive in enumerate(dict.fromkeys(positives))
    ]
    if len(built) < 2:
        raise BadData(
            f"{corpus.name} gives {len(built) or 'no'} triplet{'' if len(built) == 1 else 's'}.",
            rule="A premise needs an entailed and a contradicting hypothesis, each in a row of its own.",
            way_out="Use the file as labelled pairs (without #triplets).",
        )
    columns = {role: [row[place] for row in built] for place, role in enumerate(("text", "positive", "negative"))}
    whole = sum(bool(positives and negatives) for positives, negatives in groups.values())
    notice = (
        f"{len(built):,} triplets from {corpus.rows:,} labelled pairs: {whole:,} of {len(set(corpus.columns['text'])):,} "
        "premises have both an entailed and a contradicting hypothesis."
    )
    texts = [text for row in built for text in row]
    return CorpusTexts(
        corpus.source,
        corpus.name,
        texts,
        hash_columns(columns, {}),
        corpus.dropped,
        [*corpus.notices, notice],
        columns,
    )
