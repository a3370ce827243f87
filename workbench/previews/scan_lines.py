"""What can be looked at over a corpus: pipelines whose steps act on one thing, and dropout; each said in one line."""

from collections.abc import Sequence

from workbench.augmentations import availability
from workbench.augmentations.catalogue import LEVELS
from workbench.augmentations.fingerprints import Files
from workbench.augmentations.pipeline import parse
from workbench.core.calls import write_call
from workbench.core.errors import BadSetting
from workbench.previews.perturbation import DROPOUT, dropout_rate

CLASSES = ("meaning_alteration", "possible", "preserving")
"""What is said of the meaning (AugCSE's labels for its own augmentations, ours for the others), most altering first."""
PERTURBED = {
    "texts": "words",
    "positions": "token places",
    "states": "state entries",
    "vectors": "vector length",
    "dropout": "layer entries",
}
"""On what a line acts, and what its perturbation rate is a share of: rates of different rows are different quantities.

Entries are the numbers of the matrix of a text's token states, or of those that each layer of the encoder makes.
"""
_TEXTS = ("text", "models")


def default_lines() -> list[str]:
    """Every rule-based augmentation of texts whose lexicons are on this machine, then all inside the encoder."""
    return [*default_pipelines(), *inside_lines()]


def default_pipelines() -> list[str]:
    """Every rule-based augmentation of texts whose lexicons are on this machine."""
    found = []
    for name, method in LEVELS["text"].items():
        if not method.absent:
            parts = int(method.tags.get("parts", "1"))
            found += [name, *(f"{name}[{part}]" for part in range(1, parts))]
    return found


def inside_lines() -> list[str]:
    """Dropout, and every augmentation of positions, states and vectors."""
    return [DROPOUT.id, *LEVELS["positions"], *LEVELS["states"], *LEVELS["vectors"]]


def check_pipelines(lines: Sequence[str], *, texts: bool = False) -> list[str]:
    """Each line as it is spelled with all its settings, without repeats. With `texts` those that make texts alone.

    Raises:
        BadSetting: a line without a step, or whose steps act on different things.
        UnknownName: no such augmentation or setting.
    """
    found = []
    for line in lines:
        rate = dropout_rate(line)
        on = {"dropout"} if rate is not None else {_on(step.level) for step in parse(line).steps}
        if len(on) != 1 or (texts and on != {"texts"}):
            raise BadSetting(
                f"{line!r} cannot be looked at over a corpus." if not texts else f"{line!r} makes no text to judge.",
                rule="Its steps must all act on one thing, or no rate says how much it changes."
                if not texts
                else "Only augmentations of texts do.",
                got=" and ".join(sorted(on)) or "no step",
            )
        found.append(write_call(DROPOUT.id, {"rate": rate}) if rate is not None else str(parse(line)))
    return list(dict.fromkeys(found))


def acts_on(line: str) -> str:
    """Of a checked line: texts, positions, states, vectors or dropout.

    >>> acts_on("eda_swap + typo_noise"), acts_on("token_cutoff"), acts_on("dropout(rate=0.2)")
    ('texts', 'states', 'dropout')
    """
    return "dropout" if dropout_rate(line) is not None else _on(parse(line).steps[0].level)


def modelled(line: str) -> bool:
    """Whether a second model writes the texts."""
    return dropout_rate(line) is None and parse(line).modelled


def follows_gradient(line: str) -> bool:
    """Whether a step of it follows the gradient of a loss.

    >>> follows_gradient("fgv"), follows_gradient("eda_swap"), follows_gradient("dropout")
    (True, False, False)
    """
    return dropout_rate(line) is None and any("gradient" in step.method.inputs for step in parse(line).all())


def about_pipeline(line: str) -> dict[str, str]:
    """Title, what it acts on, class, role and language; those of its most altering step where it has several."""
    rate = dropout_rate(line)
    if rate is not None:
        title = DROPOUT.title if rate == DROPOUT.settings["rate"].default else f"{DROPOUT.title}, rate {rate:g}"
        about = {"pipeline": line, "title": title, "acts_on": "dropout"}
        return {**about, "class": "preserving", "role": "positive", "language": "any"}
    pipeline = parse(line)
    steps = list(pipeline.all())
    step = min(steps, key=lambda one: _rank(one.method.tags.get("class", "")))
    title = step.method.title + (f", part {step.part + 1}" if step.part else "")
    roles = {one.method.tags.get("role", "") for one in steps}
    return {
        "pipeline": line,
        "title": title if len(steps) == 1 else " + ".join(one.name for one in pipeline.steps),
        "acts_on": acts_on(line),
        "class": step.method.tags.get("class", ""),
        "role": "negative" if "negative" in roles else "positive",
        "language": "english" if any(one.method.tags.get("language") == "english" for one in steps) else "any",
    }


def absent(line: str) -> str:
    """What a pipeline needs that is not on this machine; empty where it can be used, see `drawn.lacks`."""
    if dropout_rate(line) is not None:
        return ""
    return " ".join(dict.fromkeys(lack for step in parse(line).all() if (lack := availability.missing(step))))


def marks(line: str) -> list[Files]:
    """See `drawn.marks`; dropout reads nothing from disk."""
    return [] if dropout_rate(line) is not None else availability.files_read(line)


def _on(level: str) -> str:
    return "texts" if level in _TEXTS else level


def _rank(name: str) -> int:
    return CLASSES.index(name) if name in CLASSES else len(CLASSES)
