"""An objective of one's own that does not return what it must is named, in a training and in its dry run."""

import pytest
import torch
from torch import nn

from tests.objectives.trial import loop_of, view
from tests.tiny import tiny_model
from workbench.core.config import Term
from workbench.core.errors import BadMethod
from workbench.core.method import Method
from workbench.objectives import METHODS
from workbench.training import dryrun


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_model(tmp_path_factory.mktemp("own"), "bert", "plain")


@pytest.fixture
def loop(folder, monkeypatch):
    """A function that makes a loop over an objective, which makes this module."""

    def made(make):
        def mine(encoder):
            """It stands for any."""
            return make(encoder)

        monkeypatch.setitem(METHODS, "mine", Method(mine, title="Mine", source="Own", inputs=("a",)))
        return loop_of(folder, Term(views={"a": view(0)}, objective="mine"))

    return made


class Returning(nn.Module):
    """Its forward returns what a function makes of the vectors."""

    def __init__(self, make):
        super().__init__()
        self.make = make

    def forward(self, vectors, batch):
        return self.make(vectors["a"])


@pytest.mark.parametrize(
    ("make", "got"),
    [
        (lambda encoder: nn.Linear, "the class Linear"),
        (lambda encoder: torch.device, "the class device"),
        (lambda encoder: lambda vectors, batch: None, "function"),
        (lambda encoder: None, "nothing"),
    ],
)
def test_what_is_no_module_is_named(loop, make, got):
    with pytest.raises(BadMethod, match=rf"The objective mine did not return a module\. It is in .*Got: {got}\."):
        loop(make)


def test_one_that_cannot_be_built_is_named_with_its_error(loop):
    with pytest.raises(BadMethod, match=r"The objective mine failed: AttributeError") as caught:
        loop(lambda encoder: encoder.no_such_thing)
    assert isinstance(caught.value.__cause__, AttributeError) and f"It is in {__name__}." in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda a: a.mean(),
            r"did not return its loss and a dictionary of figures .*Got: Tensor of shape \(\), float32",
        ),
        (lambda a: a[:2].mean(dim=1), "did not return its loss and a dictionary of figures"),
        (lambda a: (a.mean(), {}, 0), "did not return its loss and a dictionary .*Got: a tuple of 3"),
        (lambda a: None, "did not return its loss and a dictionary of figures .*Got: nothing"),
        (lambda a: (a.mean(), None), "did not return its figures as a dictionary.*Got: nothing"),
        (lambda a: (a.mean(), a.mean()), "did not return its figures as a dictionary.*Got: Tensor"),
        (lambda a: (a.mean(), {"size": 0.5}), "did not return its figure size as a tensor of one number.*Got: float"),
        (lambda a: (a.mean(), {"size": a}), r"did not return its figure size .*Got: Tensor of shape \(\d, \d+\)"),
        (lambda a: a @ torch.zeros(3, 3), "failed: RuntimeError.*Reason: mat1 and mat2 shapes"),
    ],
)
def test_what_its_forward_may_not_return_is_named(loop, make, message):
    for taken in (lambda own: next(own.run()), dryrun.estimate):
        with pytest.raises(BadMethod, match=rf"The objective mine {message}") as caught:
            taken(loop(lambda encoder: Returning(make)))
        assert f"It is in {__name__}." in str(caught.value)
    with pytest.raises(BadMethod, match=r"mine does not return the loss of a batch"):
        next(loop(lambda encoder: Returning(lambda a: (a, {}))).run())


def test_what_it_must_return_is_logged(loop):
    done = next(
        loop(lambda encoder: Returning(lambda a: (a.mean(), {"size": a.detach().norm(), "rows": torch.ones(1)}))).run()
    )
    assert list(done.losses) == ["0.mine", "0.mine.size", "0.mine.rows"] and done.losses["0.mine.rows"] == 1


def test_a_module_of_another_signature_is_named(loop):
    with pytest.raises(BadMethod, match=r"The objective mine failed: TypeError.*takes 2 positional arguments"):
        next(loop(lambda encoder: nn.Linear(3, 3)).run())


def test_no_number_of_a_figure_is_read(loop):
    """On meta there is none to read, as on a GPU none should be."""
    from workbench.training.steps import loss_and_figures

    loss = torch.ones((), device="meta")
    assert loss_and_figures((loss, {"size": torch.ones(1, device="meta")}), METHODS["ct"])[0] is loss


@pytest.mark.parametrize("hook", ["check", "after_step"])
def test_what_goes_wrong_in_a_hook_is_named(loop, hook):
    def fails(*given):
        raise KeyError("gold")

    def make(encoder):
        module = Returning(lambda a: (a.mean(), {}))
        setattr(module, hook, fails)
        return module

    with pytest.raises(BadMethod, match=r"The objective mine failed: KeyError"):
        next(loop(make).run())
