"""The measured figures on the card of a masked language model, as Markdown; all are computed here."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.config import Corpus, Model, Pretraining, RunConfig, Training
from workbench.core.errors import BadData

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workbench.data.pair_sets import PairSet
    from workbench.models.encoder import Encoder

POOLINGS = ("mean", "cls", "first_last", "last2", "static", "mask_token")
SETS = (("stsb", "dev"), ("stsb", "test"), ("sts12", "test"), ("sts14", "test"), ("sts15", "test"))
MOST = 2_000
"""Texts whose cosines are looked at."""


def held_out(backbone: str, corpus: Sequence[Path], folder: Path, precision: str = "fp32") -> dict[str, float]:
    """Masked loss (nats) and accuracy on the last 2 % of the articles with 15 % of the tokens predicted, and their number.

    Raises:
        WorkbenchError: see `pretraining.start.start` and `pretraining.tables.tables`.
    """
    from workbench.pretraining.loop import MaskedLoop
    from workbench.pretraining.start import start
    from workbench.pretraining.tables import sha256, tables

    settings = Pretraining()
    mark = sha256(corpus)
    begun = start(backbone, "", settings, corpus, folder, mark=mark, seed=0)
    corpus_tables = tables(corpus, begun.encoder.tokenizer, folder, validation=settings.validation, mark=mark)
    config = RunConfig("mlm_continue", Model(backbone), Corpus(), (), Training(steps=1), pretraining=settings)
    validation = MaskedLoop(begun, corpus_tables, config, precision=precision).validate()
    return {
        **validation,
        "pieces_per_word": corpus_tables.about["pieces_per_word"],
        "pieces": float(len(begun.encoder.tokenizer)),
    }


def layers(encoder: "Encoder", texts: Sequence[str]) -> "Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]":
    """For the embedding output and each layer: the mean of the token states of each text, and its first token's state."""
    import torch

    table = encoder.tokenise(texts)
    parts: list[list[np.ndarray]] = []
    rows = []
    with encoder.evaluating(), torch.inference_mode():
        for batch in table.batches(1 << 12):
            ids, mask = table.batch(batch, str(encoder.device))
            share = (mask / mask.sum(dim=1, keepdim=True))[:, None].float()
            both = [((share @ states)[:, 0], states[:, 0]) for states in encoder.forward(ids, mask)]
            parts.append([torch.cat(pair, dim=1).cpu().numpy() for pair in both])
            rows.append(batch)
    order = np.argsort(np.concatenate(rows))
    for number in range(len(parts[0])):
        mean, first = np.split(np.concatenate([part[number] for part in parts])[order], 2, axis=1)
        yield mean, first


def lines(encoder: "Encoder", sets: "dict[str, PairSet]") -> Iterator[str]:
    """Two tables: cosines by layer, and STS rows by pooling."""
    from workbench.evaluation.sts import pair_cosines, summarise
    from workbench.metrics.mean_cosine import mean_cosine
    from workbench.metrics.uniformity import uniformity

    first = next(iter(sets.values()))
    texts = list(dict.fromkeys(first.texts()))[:MOST]
    yield f"{len(texts):,} distinct sentences of {first.name}:"
    yield ""
    yield "| layer | mean: cosine of two texts | mean: uniformity | [CLS]: cosine of two texts | [CLS]: uniformity |"
    yield "|---|---|---|---|---|"
    for number, pair in enumerate(layers(encoder, texts)):
        shown = [
            f"{value:.3f}" if kind == 0 else f"{value:.2f}"
            for vectors in pair
            for kind, value in enumerate((mean_cosine(vectors), uniformity(vectors)))
        ]
        yield f"| {number or 'embeddings'} | {' | '.join(shown)} |"
    yield ""
    yield f"| pooling | {' | '.join(sets)} |"
    yield f"|---|{'---|' * len(sets)}"
    for pooling in POOLINGS:
        encoder.pooling = pooling
        scores = [float(summarise(pair_cosines(encoder.encode, [pairs]))["all"].iloc[0]) for pairs in sets.values()]
        yield f"| `{pooling}` | {' | '.join(f'{100 * score:.2f}' for score in scores)} |"


def main(arguments: list[str] | None = None) -> int:
    """Print it."""
    parser = argparse.ArgumentParser(prog="python -m experiments.evidence.card", description=__doc__)
    parser.add_argument("backbone", help="mini-mlm, or the folder or Hub id of a masked language model")
    parser.add_argument("--data", default="", help="folder of STS files")
    parser.add_argument("--corpus", nargs="+", default=[], metavar="FILE", help="files of articles it was trained on")
    parser.add_argument("--out", default="", help="folder that the tokenised corpus is kept in")
    parser.add_argument("--runs", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    from workbench.data.sts import load_task, present
    from workbench.models.load import load

    there = present(Path(asked.data)) if asked.data else {}
    sets = {
        f"{task} {split}": load_task(Path(asked.data), task, split)
        for task, split in SETS
        if split in there.get(task, {})
    }
    if not sets:
        raise BadData("A card needs STS files.", got=asked.data, way_out="Name their folder: --data DIR.")
    if asked.corpus:
        with TemporaryDirectory() as folder:
            figures = held_out(asked.backbone, [Path(path) for path in asked.corpus], Path(asked.out or folder))
        print(
            f"Held-out articles: masked loss {figures['loss']:.3f} nats, accuracy {figures['accuracy']:.3f} over "
            f"{figures['tokens']:,.0f} tokens; {figures['pieces']:,.0f} pieces, {figures['pieces_per_word']:.3f} a word.\n"
        )
    print("\n".join(lines(load(asked.backbone), sets)))
    return 0


if __name__ == "__main__":
    from workbench.__main__ import exit_status

    raise SystemExit(exit_status(main))
