"""The lines of a scan: pipelines whose steps all act on one level, and dropout."""

from collections.abc import Sequence

from workbench.augmentations import availability
from workbench.augmentations.catalogue import LEVELS
from workbench.augmentations.fingerprints import Files
from workbench.augmentations.pipeline import parse
from workbench.core.calls import write_call
from workbench.core.errors import BadSetting
from workbench.previews.perturbation import DROPOUT, dropout_rate

CLASSES = ("meaning_alteration", "possible", "preserving")
"""Effects on the meaning, most altering first: AugCSE's labels for its own augmentations, ours for the others."""
SHARE_OF = {
    "texts": "words",
    "positions": "token positions",
    "states": "state entries",
    "vectors": "vector length",
    "dropout": "layer entries",
}
"""What the perturbation rate is a share of, by what a line acts on: rates of different levels are not comparable.

Entries are the numbers in the matrix of the token states of a text, or in the outputs of each layer.
"""
_TEXTS = ("text", "models")


def default_lines() -> list[str]:
    """Every rule-based augmentation of texts whose lexicons are on this machine, then every one inside the encoder."""
    return [*default_pipelines(), *inside_lines()]


def default_pipelines() -> list[str]:
    """Every rule-based augmentation of texts whose lexicons are on this machine."""
    lines = []
    for name, method in LEVELS["text"].items():
        if not method.absent:
            parts = int(method.tags.get("parts", "1"))
            lines += [name, *(f"{name}[{part}]" for part in range(1, parts))]
    return lines


def inside_lines() -> list[str]:
    """Dropout, and every augmentation of positions, states and vectors."""
    return [DROPOUT.id, *LEVELS["positions"], *LEVELS["states"], *LEVELS["vectors"]]


def check_pipelines(lines: Sequence[str], *, texts: bool = False) -> list[str]:
    """The lines spelled in full, without repeats; with `texts` they must all produce texts.

    Raises:
        BadSetting: a line has no step, or steps that act on different levels.
        UnknownName: there is no such augmentation or setting.
    """
    checked = []
    for line in lines:
        rate = dropout_rate(line)
        on = {"dropout"} if rate is not None else {_on(step.level) for step in parse(line).steps}
        if len(on) != 1 or (texts and on != {"texts"}):
            raise BadSetting(
                f"{line!r} cannot be scanned." if not texts else f"{line!r} produces no text to judge.",
                rule="Its steps must all act on one level, since a perturbation rate is that of one level."
                if not texts
                else "Only augmentations of texts do.",
                got=" and ".join(sorted(on)) or "no step",
            )
        checked.append(write_call(DROPOUT.id, {"rate": rate}) if rate is not None else str(parse(line)))
    return list(dict.fromkeys(checked))


def acts_on(line: str) -> str:
    """What a checked line acts on: texts, positions, states, vectors or dropout.

    >>> acts_on("eda_swap + typo_noise"), acts_on("token_cutoff"), acts_on("dropout(rate=0.2)")
    ('texts', 'states', 'dropout')
    """
    return "dropout" if dropout_rate(line) is not None else _on(parse(line).steps[0].level)


def modelled(line: str) -> bool:
    """Whether a second model writes the texts."""
    return dropout_rate(line) is None and parse(line).modelled


def follows_gradient(line: str) -> bool:
    """Whether a step follows the gradient of a loss.

    >>> follows_gradient("fgv"), follows_gradient("eda_swap"), follows_gradient("dropout")
    (True, False, False)
    """
    return dropout_rate(line) is None and any("gradient" in step.method.inputs for step in parse(line).all())


def about_pipeline(line: str) -> dict[str, str]:
    """Title, level, class, role and language of a line; with several steps, those of its most altering step."""
    rate = dropout_rate(line)
    if rate is not None:
        title = DROPOUT.title if rate == DROPOUT.settings["rate"].default else f"{DROPOUT.title}, rate {rate:g}"
        about = {"pipeline": line, "title": title, "acts_on": "dropout"}
        return {**about, "class": "preserving", "role": "positive", "language": "any"}
    pipeline = parse(line)
    steps = list(pipeline.all())
    main = min(steps, key=lambda step: _rank(step.method.tags.get("class", "")))
    title = main.method.title + (f", part {main.part + 1}" if main.part else "")
    roles = {step.method.tags.get("role", "") for step in steps}
    return {
        "pipeline": line,
        "title": title if len(steps) == 1 else " + ".join(step.name for step in pipeline.steps),
        "acts_on": acts_on(line),
        "class": main.method.tags.get("class", ""),
        "role": "negative" if "negative" in roles else "positive",
        "language": "english" if any(step.method.tags.get("language") == "english" for step in steps) else "any",
    }


def absent(line: str) -> str:
    """What a line needs that is not on this machine; empty if nothing is missing. See `availability.missing`."""
    if dropout_rate(line) is not None:
        return ""
    return " ".join(dict.fromkeys(lack for step in parse(line).all() if (lack := availability.missing(step))))


def marks(line: str) -> list[Files]:
    """The files that the steps of a line read, see `availability.files_read`; dropout reads none."""
    return [] if dropout_rate(line) is not None else availability.files_read(line)


def _on(level: str) -> str:
    return "texts" if level in _TEXTS else level


def _rank(name: str) -> int:
    return CLASSES.index(name) if name in CLASSES else len(CLASSES)
