"""The Augment page's pipelines, their draws as marked edits, and how often texts changed."""

import shlex
from typing import TYPE_CHECKING, TypedDict

import streamlit as st

from workbench import api
from workbench.augmentations.availability import missing, missing_of
from workbench.augmentations.pipeline import parse
from workbench.core import presets
from workbench.losses import METHODS as LOSSES
from workbench.previews import text_preview
from workbench.recipes import RECIPES
from workbench.ui.kit.address import MOST_SEED, bound_number, choose_button
from workbench.ui.kit.asking import KnownAnswer, Question, ask, when_answered
from workbench.ui.kit.differences import edits_html, legend_html
from workbench.ui.kit.figures import download, takeaway
from workbench.ui.kit.notices import empty, facts, part, quiet
from workbench.ui.kit.passages import passage
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.words import count, html, join_names, share
from workbench.ui.pipelines.editor import pipeline_editor
from workbench.ui.pipelines.protected import protected_form
from workbench.verbs import augment as augment_verb

if TYPE_CHECKING:
    from pandas import DataFrame

_VIEWS = {"augment_a": "View 1", "augment_b": "View 2", "augment_negatives": "Negative"}
"""Parameters of the address, shared with the Train page."""


_NEWS = "draws"


class DrawSettings(TypedDict):
    """How texts are drawn."""

    seed: int
    draws: int
    protect: list[str]
    protect_pattern: str


def view_pipelines() -> tuple[str, dict[str, str]]:
    """The line of the chosen pipeline, and the lines of all views by their parameters in the address."""
    part("Pipeline")
    chosen = choose_button(
        "Pipeline of",
        list(_VIEWS),
        key="augment.view",
        start="augment_a",
        shown=_VIEWS.__getitem__,
        label_visibility="collapsed",
    )
    if chosen == "augment_negatives":
        quiet(_where_negatives_go())
    lines = {
        name: pipeline_editor(
            f"augment.{name}",
            presets.PIPELINES.get(name, ""),
            address=name,
            shown=name == chosen,
            role="negative" if name == "augment_negatives" else "",
        )
        for name in _VIEWS
    }
    return lines[chosen], lines


def _where_negatives_go() -> str:
    losses = sorted(name for name, loss in LOSSES.items() if "negatives" in loss.inputs)
    recipes = sorted(
        name for name, recipe in RECIPES.items() if any("negatives" in term.views for term in recipe.terms)
    )
    into = f"the recipe{'s'[: len(recipes) > 1]} {join_names(recipes)}" if recipes else "no recipe so far"
    return f"A text with a different meaning. It is used only by the losses {join_names(losses)}, and by {into}."


def draw_form() -> DrawSettings:
    """Seed, number of draws and protected words; kept in the address."""
    left, right = st.columns(2)
    seed = bound_number(left.number_input, "Seed", 0, MOST_SEED, 0, key="seed", help="Determines every draw.")
    draws = right.slider("Draws", 1, 20, 4, key="draws", bind="query-params", help="Variants of each sentence.")
    protect, pattern = protected_form()
    return {"seed": seed, "draws": int(draws), "protect": protect, "protect_pattern": pattern}


@st.cache_data(show_spinner=False, max_entries=64, scope="session")
def augmented(line: str, sentences: tuple[str, ...], corpus: str, asked: DrawSettings) -> "DataFrame":
    """See `api.augment`; without a step that changes texts, the texts."""
    if not parse(line).on_texts:
        return text_preview.table("", sentences, seed=asked["seed"], draws=asked["draws"])
    return api.augment(line, sentences, corpus=corpus, **asked)


def _fetch_wanted(line: str) -> bool:
    """Whether someone asked to download the models of a pipeline now."""
    if not any(missing(step) for step in parse(line).at("models")):
        return False
    if st.button(
        "Download and draw", key="fetch", help="Downloads the models named above from the Hugging Face Hub, once."
    ):
        st.session_state["fetch.line"] = line
    return bool(st.session_state.get("fetch.line") == line)


def ask_draws(
    line: str, sentences: list[str], corpus: str, asked: DrawSettings, *, fetch: bool = False
) -> "Question[DataFrame] | KnownAnswer[DataFrame]":
    """The draws: immediately, or from the compute process if a step must prepare something."""
    if not api.needs_worker(line):
        return KnownAnswer(augmented(line, tuple(sentences), corpus, asked))
    arguments = {**asked, "fetch": True} if fetch else asked
    return ask(augment_verb.VERB, slot="augment.draws", texts=sentences, pipeline=line, corpus=corpus, **arguments)


def show_drawn(line: str, sentences: list[str], corpus: str, asked: DrawSettings, target: str) -> "DataFrame | None":
    """The draws of every sentence with their edits marked, under the rates of change. None while they are not ready."""
    if not sentences:
        empty("No sentences yet.", "Type some in the box, one per line, or sample them from a data set.")
        return None
    fetch = False
    if lacking := missing_of(line):
        for title, lack in lacking.items():
            empty(f"“{title}” is not available here.", lack)
        fetch = _fetch_wanted(line)
        if not fetch:
            return None
    question = ask_draws(line, sentences, corpus, asked, fetch=fetch)
    when_answered([question], lambda: _show(question.there, line, corpus, asked, target))
    return question.result


def _show(table: "DataFrame", line: str, corpus: str, asked: DrawSettings, target: str) -> None:
    pipeline = parse(line)
    inside = text_preview.inside_only(pipeline, by="“Show an encoder” shows")
    for caution in [*table.attrs.get("cautions", ()), *filter(None, [inside])] if pipeline.on_texts else ():
        empty("Check these steps.", caution)
    if any(step.method.tags.get("counts") == "corpus" for step in pipeline.all()):
        where = "the demo sentences" if corpus == "demo" else corpus
        quiet(f"Word counts come from {where}; a run takes them from its own corpus.")
    if pipeline.on_texts:
        show_rates(table, protected=bool(asked["protect"] or asked["protect_pattern"]))
        show_draws(table, labels=len(list(pipeline.all())) > 1)
        st.html(legend_html())
        download(table, "draws.csv")
    elif pipeline:
        takeaway("The text is not changed: these steps act inside the encoder.", about=_NEWS)
        if not target:
            quiet("Turn on “Show an encoder” to see what they change.")
    else:
        takeaway("Without steps two views of a text differ by dropout alone, and a negative needs a step.", about=_NEWS)


def show_rates(table: "DataFrame", *, protected: bool) -> None:
    """How often texts changed, repeated an earlier draw, or were protected."""
    total, changed = len(table), int(table["changed"].sum())
    again = int((table["again"] & table["changed"]).sum())
    takeaway(f"{count(changed)} of {count(total)} draws changed the text.", about=_NEWS)
    rates = {"Unchanged": share(1 - changed / total), "Same as an earlier draw": share(again / total)}
    notes = {"Unchanged": f"n = {count(total)}", "Same as an earlier draw": f"n = {count(total)}"}
    if protected:
        acted = int(table["acted"].sum())
        rates["Protection applied"] = f"in {count(acted)} of {count(total)} draws"
    facts(rates, notes)


def show_draws(table: "DataFrame", *, labels: bool = False) -> None:
    """Every draw under its sentence with the edits marked; with `labels` also the steps that changed it."""
    parts = []
    for _, group in table.groupby("sentence", sort=True):
        before = group["before"].iloc[0]
        parts.append(f'<div class="draw"><span class="label">original</span>{passage(before)}</div>')
        for row in group.itertuples():
            note = "repeated" if row.again and row.changed else "" if row.changed else "unchanged"
            notes = [f"draw {row.draw}", f"<b>{note}</b>" if note else "", "protected" if row.acted else ""]
            label = "<br>".join(part for part in notes if part)
            acted = ""
            if labels and row.changed:
                acted = f'<span class="by">{html(row.label.replace("+", " + "))}</span>'
            parts.append(
                f'<div class="draw"><span class="label">{label}</span>'
                f"<div>{passage(row.text, edits_html(before, row.text))}{acted}</div></div>"
            )
        parts.append("<br>")
    st.html(f'<div class="edits">{"".join(parts)}</div>')


def repeat_draws(line: str, sentences: list[str], corpus: str, asked: DrawSettings) -> None:
    """The lines that reproduce the draws in Python and in a terminal, if any step changes texts."""
    if not (sentences and parse(line).on_texts):
        return
    defaults: dict[str, object] = {"seed": 0, "draws": 1, "protect": [], "protect_pattern": "", "corpus": "demo"}
    said = {name: value for name, value in {**asked, "corpus": corpus}.items() if value != defaults[name]}
    flags = [
        f"--{name.replace('_', '-')}={term}"
        for name, value in said.items()
        for term in (value if isinstance(value, list) else [value])
    ]
    command = shlex.join(["python", "-m", "workbench", "augment", *flags, "--", line, *sentences])
    repeat(python_call("augment", line, sentences, **said), command=command)


_USED = "use.views"
"""Session key: the views that were taken to Train, which keeps them until it is told otherwise."""


def use_in_a_run(lines: dict[str, str], asked: DrawSettings) -> None:
    """A button that takes the pipelines and protected words to Train: of a view without steps that it has none. Of negatives
    that only if some were taken there before, since without any they stay what the recipe makes them.
    """
    if not any(lines.values()):
        return
    used = st.session_state.setdefault(_USED, set[str]())
    taken = {name: line for name, line in lines.items() if line or name != "augment_negatives" or name in used}
    if st.button("Use in a run", type="primary", key="use", help="Opens Train with these pipelines filled in."):
        used.update(taken)
        # The field of the corpus has the same key on both pages, so it needs no parameter.
        drawn_from = st.query_params.get("source", "") if st.query_params.get("from") == "set" else ""
        said = taken | ({"source": drawn_from} if drawn_from else {})
        said |= {"protected": "\n".join(asked["protect"]), "protected_pattern": asked["protect_pattern"]}
        st.switch_page("pages/train.py", query_params=said)
    quiet(
        "; ".join(f"{_VIEWS[name]}: " + (f"`{line}`" if line else "dropout alone") for name, line in taken.items())
        + "."
    )
