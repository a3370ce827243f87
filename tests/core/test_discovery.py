"""Methods of other packages: what joins, and what is left out by name."""

import re
import sys

import pytest

from workbench.augmentations.labels import lacks
from workbench.core import discovery
from workbench.core.discovery import discover
from workbench.core.errors import BadMethod
from workbench.core.method import Method

GOOD = """
from typing import Annotated
from workbench.core.method import Knob, Method
def {name}(a, b, *, rate: Annotated[float, Knob(0.0, 1.0, 0.1, "A share.")] = 0.5):
    "First line."
METHOD = Method({name}, title="T", source="S", tags={tags})
"""
SOFTMAX = {"negatives": "N - 1", "no_softmax": "compares distances"}
TAGS = {"class": "preserving", "role": "positive"}
WRITTEN = GOOD.format(name="fresh", tags=SOFTMAX)
MISTYPED = [
    (WRITTEN.replace('title="T"', "title=None"), "its title is not a text, but None."),
    (WRITTEN.replace('source="S"', "source=2020"), "its source is not a text, but 2020."),
    (GOOD.format(name="fresh", tags=["a"]), "its tags are not a dictionary of texts, but ['a']."),
    (GOOD.format(name="fresh", tags=None), "its tags are not a dictionary of texts, but None."),
    (GOOD.format(name="fresh", tags={None: "a"}), "its tag None is not a text."),
    (
        WRITTEN.replace("0.0, 1.0, 0.1", '"0", "1", 0.1'),
        "the range of its setting rate has '0', which is not a number.",
    ),
    (WRITTEN.replace('"A share."', "7"), "the help of its setting rate is not a text, but 7."),
    (
        WRITTEN.replace("[float, Knob", "[__import__('typing').Literal[1, 2], Knob").replace("= 0.5", "= 1"),
        "its setting rate is neither a bool, an int, a float, a str nor a Literal of texts.",
    ),
    (
        WRITTEN.replace("Method(fresh", "Method(__import__('functools').partial(fresh)"),
        "the first argument of Method must be the function or class fresh itself, but is functools.partial(",
    ),
    (WRITTEN.replace("Method(fresh", "Method(3"), "must be the function or class fresh itself, but is 3."),
    (WRITTEN.replace('title="T"', 'title="T", inputs=("gold")'), "its inputs are not a tuple of names"),
    (WRITTEN.replace('title="T"', 'title="T", logits="softmax"'), "its logits is not a function, but 'softmax'."),
    ("import sys\nsys.exit('bye')", "SystemExit: bye."),
    ("raise SystemExit", "SystemExit."),
    # What nobody has foreseen is named too: here, how the settings are read.
    (f"{WRITTEN}fresh.__signature__ = 3", "TypeError: unexpected object 3"),
]
"""Files that can be imported and read, but whose METHOD has a value of the wrong type; and those that end the program."""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A function that installs a package of one module for one entry point, as pip would leave it."""

    def install(source, point="fresh", group="workbench.losses", name="other-package"):
        module = f"{name.replace('-', '_')}_{point}"
        (tmp_path / f"{module}.py").write_text(source)
        about = tmp_path / f"{name}-1.5.dist-info"
        about.mkdir(exist_ok=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
        with (about / "entry_points.txt").open("a") as points:
            points.write(f"[{group}]\n{point} = {module}\n")
        discovery._points.cache_clear()

    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield install
    discovery._points.cache_clear()
    for module in set(sys.modules) - before:
        if module.startswith(("other_package", "second_package")):
            del sys.modules[module]


def losses():
    """The losses, discovered again."""
    import workbench.losses

    return discover("workbench.losses", list(workbench.losses.__path__), check=workbench.losses._lacks)


def test_a_method_of_another_package_joins_after_our_own(package):
    own = list(losses())
    package(GOOD.format(name="fresh", tags=SOFTMAX))
    found = losses()
    assert list(found) == [*own, "fresh"] and found["fresh"].settings["rate"].default == 0.5
    assert found.packages == {"fresh": "other-package"} and not found.left_out


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import nowhere_to_be_found", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        ("raise SystemExit", "SystemExit"),
        ("def fresh(", "SyntaxError"),
        ("", "ends with METHOD"),
        ("METHOD = 'fresh'", "does not lead to a Method"),
        (GOOD.format(name="stale", tags={}), "its function is called stale"),
        (GOOD.format(name="fresh", tags={}).replace('title="T"', 'title=" "'), "it has no title"),
        (GOOD.format(name="fresh", tags={}).replace('"First line."', "pass"), "it has no summary"),
        (GOOD.format(name="fresh", tags={}).replace("= 0.5", "= 7.0"), "rate cannot be 7.0"),
        (
            GOOD.format(name="fresh", tags={}).replace(" = 0.5", ""),
            "its setting rate has no default. A setting is written",
        ),
        (GOOD.format(name="fresh", tags={}).replace(', "A share."', ""), "its setting rate has no help"),
        (GOOD.format(name="fresh", tags={}).replace("0.0, 1.0, 0.1", "0.0, None, 0.1"), "no range, or no step"),
        (GOOD.format(name="fresh", tags={}).replace("= 0.5", "= '0.5'"), "rate cannot be '0.5'"),
        (
            GOOD.format(name="fresh", tags={}).replace("[float, Knob", "['float', Knob"),
            "its setting rate is neither a bool",
        ),
        (
            "from __future__ import annotations" + GOOD.format(name="fresh", tags={}),
            "the Knob of its parameter rate is a text",
        ),
        (GOOD.format(name="fresh", tags={}).replace("b, *", "b, extra, *"), "it takes extra, neither a setting"),
        (GOOD.format(name="fresh", tags={}).replace("a, b", "b"), "not the views a and b"),
        (GOOD.format(name="fresh", tags={"wraps": "inner"}), "its tag wraps names inner"),
        (GOOD.format(name="fresh", tags={"wraps": "rate"}), "its tag negatives must say how many"),
        (GOOD.format(name="fresh", tags={"no_softmax": "compares distances"}), "its tag negatives must say how many"),
        (GOOD.format(name="fresh", tags={"negatives": "N - 1"}), "its tag no_softmax must say what it does instead"),
        (
            WRITTEN.replace("rate:", "dry_run:"),
            "its setting dry_run needs another name: --dry-run of train already means",
        ),
        (WRITTEN.replace("rate:", "steps:"), "its setting steps needs another name: --steps of train already means"),
        (WRITTEN.replace("rate:", "weight:"), "its setting weight needs another name: --weight of train already means"),
        (GOOD.format(name="fresh", tags=SOFTMAX | {"negatives": 5}), "its tag negatives is not a text"),
        *MISTYPED,
    ],
)
def test_a_broken_one_is_named_and_left_out(package, source, reason):
    own = list(losses())
    package(source)
    found = losses()
    [lost] = found.left_out
    assert list(found) == own and not found.packages
    said = str(lost)
    assert said.startswith("The plug-in fresh of the package other-package (workbench.losses) is left out: ")
    assert reason in said and "\n" not in said


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", "it must end with METHOD = Method(fresh, ...)."),
        (GOOD.format(name="stale", tags={}), "its function is called stale: function and file share one name"),
        (GOOD.format(name="fresh", tags={}).replace(" = 0.5", ""), "its setting rate has no default"),
        (GOOD.format(name="fresh", tags={}).replace('source="S"', 'source=""'), "it has no source"),
        (GOOD.format(name="fresh", tags={}).replace("b, *", "b, extra, *"), "it takes extra, neither a setting"),
        *MISTYPED,
    ],
)
def test_a_broken_file_of_the_folder_itself_is_refused_by_name(tmp_path, monkeypatch, source, reason):
    import workbench.losses

    (tmp_path / "own_methods").mkdir()
    (tmp_path / "own_methods" / "__init__.py").write_text("")
    (tmp_path / "own_methods" / "fresh.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    with pytest.raises(BadMethod, match=rf"own_methods/fresh\.py cannot be used: .*{re.escape(reason)}"):
        discover("own_methods", [str(tmp_path / "own_methods")], check=workbench.losses._lacks)
    for module in set(sys.modules) - before:
        del sys.modules[module]


def test_an_id_that_is_taken_is_refused_by_name(package):
    name = next(iter(losses()))
    package(GOOD.format(name=name, tags=SOFTMAX), point=name)
    found = losses()
    assert "the id is taken, by the workbench itself" in str(found.left_out[0])
    assert found[name].fn.__module__ == f"workbench.losses.{name}"


def test_of_two_packages_the_first_by_name_has_the_id(package):
    package(GOOD.format(name="fresh", tags=SOFTMAX), name="second-package")
    package(GOOD.format(name="fresh", tags=SOFTMAX))
    found = losses()
    assert found.packages == {"fresh": "other-package"}
    assert found.left_out[0].package == "second-package" and "by other-package" in str(found.left_out[0])


def test_a_folder_that_does_not_exist_is_reported(package):
    package(GOOD.format(name="fresh", tags={}), group="workbench.loses")
    [lost] = discovery.left_out()
    assert "workbench.loses is not a folder of methods" in str(lost)
    assert discovery.checks() == [("Plug-in left out", "problem", str(lost), "Update or remove other-package.")]


@pytest.mark.parametrize(
    ("level", "tags", "reason"),
    [
        ("vectors", {"role": "positive"}, "its tag class must be one of meaning_alteration, possible, preserving"),
        ("vectors", {**TAGS, "class": "odd"}, "its tag class"),
        ("vectors", {"class": "possible"}, "its tag role"),
        ("text", TAGS, "its tag language"),
        ("vectors", {**TAGS, "parts": "two"}, "its tag parts"),
        ("vectors", TAGS, "its function takes no generator"),
        ("text", TAGS | {"language": "any"}, "its function takes no rng"),
    ],
)
def test_an_augmentation_without_its_labels_is_left_out(package, level, tags, reason):

    check = lacks("rng" if level == "text" else "generator", of_texts=level == "text")
    package(GOOD.format(name="fresh", tags=tags), group=f"workbench.augmentations.{level}")
    [lost] = discover(f"workbench.augmentations.{level}", [], check=check).left_out
    assert reason in str(lost)


@pytest.mark.parametrize(
    ("prepare", "reason"),
    [
        ("def prepare(): pass", "its prepare= cannot be called with the corpus, its settings"),
        ("def prepare(corpus, tokenizer): pass", "missing a required argument: 'tokenizer'"),
        ("def prepare(corpus, *, device): pass", ""),
    ],
)
def test_an_augmentation_whose_preparation_cannot_be_called_is_left_out(package, prepare, reason):
    source = GOOD.format(name="fresh", tags=TAGS | {"language": "any"}).replace("a, b, *,", "resource, texts, *, rngs,")
    package(
        f"{prepare}\n{source}".replace('title="T"', 'title="T", prepare=prepare'),
        group="workbench.augmentations.models",
    )
    found = discover("workbench.augmentations.models", [], check=lacks("rngs", of_texts=True))
    assert [reason in str(one) for one in found.left_out] == ([True] if reason else [])


@pytest.mark.parametrize(
    ("folder", "tags", "reason"),
    [
        ("transforms", {}, "its tag done must say in a word"),
        ("pooling", {}, "its function takes no hidden_states and no mask and no ids and no weights"),
        ("metrics", {"direction": "lower is better"}, "its tag inputs must be one of vectors, pairs"),
        ("metrics", {"inputs": "vectors"}, "its tag direction must say which values are better"),
    ],
)
def test_a_method_without_what_its_folder_needs_is_left_out(package, folder, tags, reason):
    from importlib import import_module

    source = GOOD.format(name="fresh", tags=tags)
    package(source.replace(source[source.index(", *, rate") : source.index("):")], ""), group=f"workbench.{folder}")
    [lost] = discover(f"workbench.{folder}", [], check=import_module(f"workbench.{folder}")._lacks).left_out
    assert reason in str(lost)


@pytest.mark.parametrize(
    ("name", "tags", "reason"),
    [
        ("eda_swap", {}, "the name eda_swap is already used by the workbench itself"),
        ("fresh", {"alias": "RandomCrop"}, "the name RandomCrop is already used by augcse_random_crop"),
        ("fresh", {"pools": "augcse_12"}, "the set augcse_12 is published"),
    ],
)
def test_no_augmentation_takes_the_name_of_another_level_or_changes_what_was_published(
    package, monkeypatch, name, tags, reason
):
    from workbench.augmentations import catalogue

    group = "workbench.augmentations.vectors"
    package(GOOD.format(name=name, tags=TAGS | tags), point=name, group=group)
    found = discover(group, [])
    assert name in found
    monkeypatch.setattr(catalogue, "LEVELS", {**catalogue.LEVELS, "vectors": found})
    catalogue._one_name_each()
    assert not found and reason in str(found.left_out[0])


def test_one_that_was_imported_before_the_workbench_says_what_to_do(package):
    package(
        "import tests.core.test_discovery as here\nhere.SEEN = here.losses()\n" + GOOD.format(name="fresh", tags={})
    )
    __import__("other_package_fresh")
    assert "Import workbench.losses inside its function, or first" in str(SEEN.left_out[0])


SEEN = discovery.Methods({})


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def broken(:", "SyntaxError"),
        ("import nowhere_to_be_found", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        (GOOD.format(name="broken", tags=TAGS).replace("title=", "titel="), "unexpected keyword argument 'titel'"),
    ],
)
def test_a_file_of_the_folder_that_cannot_be_imported_is_named(tmp_path, monkeypatch, source, reason):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "broken.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    with pytest.raises(BadMethod) as caught:
        discover("mine", [str(folder)])
    assert caught.value.__cause__ is not None, "its traceback says where"
    assert str(caught.value).startswith("mine/broken.py cannot be used: ") and reason in str(caught.value)
    assert str(caught.value).endswith(discovery.HOW_TO)


def test_an_augmentation_that_no_prepare_gives_its_first_argument_is_told():
    def broken(resource, texts, *, rngs):
        """First line."""

    tags = TAGS | {"language": "any"}
    check = lacks("rngs", of_texts=True)
    missing = check(Method(broken, title="T", source="S", tags=tags))
    assert (
        missing == "its function takes resource, texts before the *; it is called with 1, since METHOD has no prepare=."
    )
    assert not check(Method(broken, title="T", source="S", tags=tags, prepare=lambda corpus: None))
    shown = check(Method(lambda *, rngs: [], title="T", source="S", tags=tags))
    assert shown == "its function takes nothing before the *; it is called with 1, since METHOD has no prepare=."
