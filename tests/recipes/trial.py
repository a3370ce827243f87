"""Helpers to run every recipe on one tiny backbone: a corpus of each kind, and shared settings."""

from itertools import islice

from tests.objectives.trial import masked_model
from workbench.data.corpora import load_corpus
from workbench.data.demo import pair_rows
from workbench.models.load import load
from workbench.objectives import method_of
from workbench.recipes import RECIPES, settle
from workbench.recipes.fits import corpus_of
from workbench.training.loop import Loop

STEPS = 10
SAME = {"training.batch_size": 8, "training.steps": STEPS, "training.learning_rate": 1e-3, "training.max_length": 32}
SAME |= {"training.warmup": 0.0, "training.weight_decay": 0.0, "training.clip": 1.0, "training.precision": "fp32"}


def furnish(folder):
    """`folder`, after adding a tiny backbone, which is also a masked language model, and a corpus of each kind."""
    masked_model(folder / "bert")
    (folder / "sentences.txt").write_text("\n".join(load_corpus("demo", limit=60).texts) + "\n")
    rows = [f"{pair.score}\t{pair.sentence1}\t{pair.sentence2}" for pair in islice(pair_rows("dev").values(), 40)]
    (folder / "scored_pairs.tsv").write_text("score\tsentence1\tsentence2\n" + "\n".join(rows) + "\n")
    return folder


def source(place, needs):
    """The source of a corpus of the kind `needs`."""
    shipped = {"pairs": "demo:paraphrases", "triplets": "demo:triplets", "documents": "demo:documents"}
    shipped |= {"labelled_pairs": "demo:labelled"}
    return shipped.get(needs) or str(next(place.glob(f"{needs}.*")))


def config_of(place, name, *, corpus="", **changes):
    small = {"guide": str(place / "bert"), "generator": str(place / "bert"), "sizes": "48-48"}
    own = {
        f"terms.{number}.settings.{setting}": value
        for number, term in enumerate(RECIPES[name].terms)
        for setting, value in small.items()
        if setting in {*method_of(term).settings, *term.settings}
    }
    changes = {**SAME, **own, **changes}
    corpus = corpus or source(place, RECIPES[name].needs)
    return settle(name, backbone=str(place / "bert"), corpus=corpus, changes=changes)


def loop_of(place, name, *, device="cpu", **changes):
    """A loop over a recipe with some changes, by default on the corpus of its kind."""
    config = config_of(place, name, **changes)
    corpus = corpus_of(config)
    encoder = load(str(place / "bert"), device=device)
    return Loop(encoder, corpus.columns, config, numbers=corpus.numbers, precision=config.training.precision)


def first_steps(place, name, **changes):
    """The first ten steps of a recipe."""
    return list(islice(loop_of(place, name, **changes).run(), STEPS))


def losses(steps):
    return [step.loss for step in steps]
