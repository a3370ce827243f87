import numpy as np
import pytest

from tests.augmentations import standins
from tests.augmentations.trial import FILLERS, NEAREST, WRITERS
from workbench.augmentations.models import METHODS
from workbench.core.seeds import text_rng


@pytest.fixture(scope="session")
def weights(tmp_path_factory):
    """Settings of each method that point to its stand-ins."""
    root = tmp_path_factory.mktemp("weights")
    make = {name: str(standins.tiny_writer(root / name, name)) for name in ("pegasus", "t5", "marian", "fsmt", "bart")}
    back = {name: str(standins.tiny_writer(root / f"{name}_back", name, seed=1)) for name in ("marian", "fsmt")}
    filler = {"model": str(standins.tiny_filler(root / "filler"))}
    glove = root / "glove.txt"
    rng = np.random.default_rng(0)
    words = [*standins.WORDS, "walks", "3", "天", "气", "好"]
    glove.write_text("\n".join(f"{word} {' '.join(f'{x:.4f}' for x in rng.normal(size=5))}" for word in words), "utf-8")
    return {
        "paraphrase_pegasus": {"model": make["pegasus"]},
        "paraphrase_t5": {"model": make["t5"]},
        "summary_bart": {"model": make["bart"]},
        "back_translation": {"there": make["marian"], "back": back["marian"]},
        "augcse_diverse_paraphrase": {"there": make["fsmt"], "back": back["fsmt"]},
        "augcse_casual2formal": {"model": make["t5"], "judge": str(standins.tiny_judge(root / "judge"))},
        **dict.fromkeys(FILLERS, filler),
        **{name: {"vectors": str(glove)} for name in NEAREST},
    }


def exact(resource):
    """In double precision: the rounding of sums in another order must not decide between two similar words."""
    for part in resource if isinstance(resource, tuple) else (resource,):
        if model := getattr(part, "_model", None):
            model.double()
    return resource


@pytest.fixture(scope="session")
def prepared(weights):
    """A method's resource on stand-ins, loaded once."""
    made = {}

    def of(name):
        if name not in made:
            made[name] = exact(METHODS[name].prepare([], **weights[name]))
        return made[name]

    return of


@pytest.fixture
def call(prepared):
    def one(name, texts, seed=0, draw=0, **values):
        rngs = [text_rng(seed, name, draw, text) for text in texts]
        quick = {"candidates": 5} if name == "augcse_diverse_paraphrase" else {"beams": 3} if name in WRITERS else {}
        quick |= {"adequacy": 0.0} if name == "augcse_casual2formal" else {}
        # What random weights write is no shorter than the text.
        quick |= {"longest": 99.0} if name == "summary_bart" else {}
        values = quick | values
        return METHODS[name].fn(prepared(name), texts, **values, rngs=rngs)

    return one
