"""The lines that training reads from the cache equal the direct draws of the preview."""

import pytest

from tests.augmentations.trial import FILLERS, NEAREST, TEXTS, WRITERS
from workbench.augmentations.draw import Drawer
from workbench.augmentations.models import METHODS
from workbench.augmentations.pipeline import Step
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.augmentations.stored_lines import stored_lines

ODD = ["", " ", "今天天气很好", "a [MASK] in the park"]
GUARDED = Protection(("dog", "young man"))
CHANGING = {*FILLERS, *NEAREST}
"""Methods that change words which they choose themselves, on stand-ins."""


@pytest.fixture(scope="module")
def resources():
    return Resources()


@pytest.fixture
def spelled(weights):
    """A step with stand-ins, as fast as possible; it changes half of the words, so that a second step differs."""

    def one(name):
        quick = {"beams": 2} if name in WRITERS else {"rate": 0.5, "top": 5}
        quick |= {"candidates": 3} if name == "augcse_diverse_paraphrase" else {}
        quick |= {"adequacy": 0.0} if name == "augcse_casual2formal" else {}
        quick |= {"longest": 1.0} if name == "summary_bart" else {}
        return str(Step(name, {**quick, **weights[name]}))

    return one


@pytest.mark.parametrize(
    ("shape", "protection"),
    [
        ("{0}", GUARDED),
        ("{0} + {0}", Protection()),
        ("one_of({0}, eda_swap, {0})@0.8", GUARDED),
        ("mirror_span(shortest=9) + {0}", Protection()),
    ],
)
@pytest.mark.parametrize("name", METHODS)
def test_stored_lines_equal_direct_draws(name, shape, protection, spelled, resources, tmp_path):
    line = shape.format(spelled(name))
    kept = stored_lines(tmp_path, resources, seed=1)
    direct = Drawer(line, seed=1, protection=protection, resources=resources)
    cached = Drawer(line, seed=1, protection=protection, resources=resources, lines=kept)
    # Beams on random weights run on to the longest output: one draw of few texts.
    texts, draws = ([TEXTS[0], TEXTS[1], *ODD], 1) if name in WRITERS else ([*TEXTS, *ODD], 2)
    acted = 0
    for number in range(draws):
        found = direct.many(texts, number)
        assert cached.many(texts, number) == found == cached.many(texts, number)
        acted += sum(draw.acted for draw in found)
    if protection and shape == "{0}" and name in CHANGING:
        assert acted
    # One folder for a step, draw and round of tries, however many texts had to be saved.
    assert len(list(tmp_path.iterdir())) <= 2 * line.count(name) * (4 if protection else 1)


@pytest.mark.parametrize("name", sorted(CHANGING))
def test_the_second_of_two_equal_steps_draws_independently(name, spelled, resources, tmp_path):
    step = spelled(name)
    both = Drawer(f"{step} + {step}", seed=1, resources=resources, lines=stored_lines(tmp_path, resources, seed=1))
    first = Drawer(step, seed=1, resources=resources)
    same = [first(first(text).text).text for text in TEXTS]
    assert [draw.text for draw in both.many(TEXTS)] != same
