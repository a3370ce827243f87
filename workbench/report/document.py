"""The whole report, section by section."""

import re

from workbench.report import evidence, verdicts
from workbench.report.bibliography import literature, references
from workbench.report.blocks import Document, Section, Words
from workbench.report.groups import groups
from workbench.report.material import Material
from workbench.report.memo import memo
from workbench.report.numbers import counted, moment

TEACHING = (
    "the demo's gold scores are its authors' teaching scores: they show how a comparison works, and rank no method"
)


def document_of(material: Material, *, made: float) -> Document:
    """What the report says; `made` is the time that stands in it, in seconds since 1970."""
    about = (
        f"{material.pairs}, {counted(material.n, 'pair')}; {counted(len(material.methods), 'method')}. "
        f"Made {moment(made)} by the Contrastive Workbench."
    )
    found = [
        verdicts.verdicts(material),
        memo(material),
        verdicts.methods(material),
        verdicts.every_two(material),
        groups(material),
        evidence.suite(material),
        evidence.space(material),
        evidence.examples(material),
        evidence.curves(material),
        evidence.settings(material),
        evidence.corpora(material),
        evidence.machines(material),
        evidence.reproduce(material),
        evidence.notes(material),
        literature(material),
    ]
    sections = [section for section in found if section]
    if material.teaching:
        first = sections[0]
        note = Words(f"On {material.pairs}, {TEACHING}.")
        sections[0] = Section(first.id, first.title, (*first.blocks, note))
    keys = {key for found_keys in references(material).values() for key in found_keys}
    return Document(material.asked.question, about, tuple(sections), tuple(sorted(keys)))


def question(given: str, pairs: str) -> str:
    """The question as it was asked, or the one that every comparison answers."""
    return re.sub(r"\s+", " ", given).strip() or f"Which method is better on {pairs}, by more than chance?"
