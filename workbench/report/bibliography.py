"""The literature behind what a report used: BibTeX entries, found by what the sources of methods and recipes cite."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from workbench.augmentations.pipeline import parse
from workbench.core.calls import read_call
from workbench.heads import METHODS as HEADS
from workbench.losses import METHODS as LOSSES
from workbench.metrics import METHODS as METRICS
from workbench.models.cards import EMBEDDED
from workbench.objectives import METHODS as OBJECTIVES
from workbench.pooling import METHODS as POOLINGS
from workbench.recipes import RECIPES
from workbench.report.blocks import Points, Section
from workbench.report.html import FOLDER
from workbench.report.material import Material, Training
from workbench.store.run import Run
from workbench.targets.baselines import BASELINES
from workbench.transforms import METHODS as TRANSFORMS

FILE = "references.bib"
_ENTRY = re.compile(r"^@(\w+)\{(\w+), (.*)\}$", re.MULTILINE)
_FIELD = re.compile(r"(\w+) = \{((?:[^{}]|\{[^{}]*\})*)\}")


@dataclass(frozen=True)
class Entry:
    """A paper."""

    key: str
    bibtex: str
    fields: tuple[tuple[str, str], ...]

    def get(self, name: str) -> str:
        """A field without braces; empty if it has none."""
        return re.sub(r"[{}]", "", dict(self.fields).get(name, ""))

    @property
    def words(self) -> str:
        """The paper in one line."""
        names = [name.partition(",")[0] for name in self.get("author").split(" and ")]
        others = names[-1] == "others"
        authors = f"{names[0]} et al." if others else " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        where = " ".join(filter(None, [self.get("booktitle") or self.get("journal"), self.get("volume")]))
        number = f"arXiv:{self.get('eprint')}" if self.get("eprint") else self.get("url")
        return ". ".join(filter(None, [f"{authors} ({self.get('year')})", self.get("title"), where, number])) + "."

    def cited_in(self, text: str) -> bool:
        """Whether a source names its number or address."""
        address = self.get("url").rpartition("/")[2]
        return any(part and part in text for part in (self.get("eprint"), address, self.get("doi")))

    def meant_in(self, text: str) -> bool:
        """Whether a source names its authors, all or the first `et al.`, with its year, and no other number behind it."""
        names = [" ".join(part.strip() for part in name.split(",")) for name in self.get("author").split(" and ")]
        named = [f"{names[0]} et al."] if len(names) > 2 or names[-1] == "others" else []
        named += [" and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))]
        authors = "|".join(map(re.escape, named))
        return bool(re.search(rf"(?<!, )(?<!and )\b(?:{authors}),? \(?{self.get('year')}\b(?!\)?,? \(?arXiv)", text))


@cache
def entries() -> dict[str, Entry]:
    """All entries by key."""
    text = (FOLDER / FILE).read_text(encoding="utf-8")
    return {
        match[2]: Entry(match[2], match[0], tuple((name, value) for name, value in _FIELD.findall(match[3])))
        for match in _ENTRY.finditer(text)
    }


def cited(text: str) -> list[str]:
    """The keys of the entries that a source or a citation names, in the order of the file.

    >>> cited("Gao, Yao and Chen 2021, SimCSE, arXiv:2104.08821"), cited("This file.")
    (['gao2021simcse'], [])
    """
    return [key for key, entry in entries().items() if entry.cited_in(text) or entry.meant_in(text)]


def references(material: Material) -> dict[str, list[str]]:
    """The keys of what each method used, by what it is: a recipe, a loss, a pooling, ..."""
    used: dict[str, str] = {}
    for training in material.trainings:
        used |= dict(_used(training))
    used |= {
        name: METRICS[name].source for name in METRICS if material.trainings and name in material.trainings[0].space
    }
    return {name: keys for name, source in used.items() if (keys := cited(source))}


def _used(training: Training) -> Iterator[tuple[str, str]]:
    """What a target consists of, and its source."""
    target = training.target
    if target.run:
        yield from _of_run(target.run)
    if target.backbone in EMBEDDED:
        yield target.backbone, EMBEDDED[target.backbone].source
    for part, methods in ((target.baseline, BASELINES), (target.pooling, POOLINGS), (target.transform, TRANSFORMS)):
        name = read_call(part)[0] if part else ""
        if name in methods:
            yield name, methods[name].source


def _of_run(run: Run) -> Iterator[tuple[str, str]]:
    config = run.config
    if config.recipe in RECIPES:
        yield config.recipe, RECIPES[config.recipe].citation
    for term in config.terms:
        for name, methods in ((term.loss, LOSSES), (term.objective, OBJECTIVES)):
            if name in methods:
                yield name, methods[name].source
        for view in term.views.values():
            for step in parse(view.augmentation).all() if view.augmentation else ():
                yield step.method.id, step.method.source
    if config.model.backbone in EMBEDDED:
        yield config.model.backbone, EMBEDDED[config.model.backbone].source
    for name, methods in (
        (config.model.pooling, POOLINGS),
        (config.model.eval_pooling, POOLINGS),
        (config.model.head, HEADS),
    ):
        if name in methods:
            yield name, methods[name].source


def bibtex(keys: Iterable[str]) -> str:
    """The entries of these keys as a file."""
    return "\n".join(entries()[key].bibtex for key in sorted(set(keys))) + "\n"


def literature(material: Material) -> Section | None:
    """What was used, and the papers it is from; None if none is known."""
    named = references(material)
    by_key: dict[str, list[str]] = {}
    for name, keys in named.items():
        for key in keys:
            by_key.setdefault(key, []).append(name)
    if not by_key:
        return None
    lines = [f"{entries()[key].words} For: {', '.join(names)}." for key, names in sorted(by_key.items())]
    return Section("references", "References", (Points(tuple(lines)),))
