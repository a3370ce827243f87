"""The Augment page's pipelines, its draws as marked edits, and how often something happened."""

import shlex
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench import api
from workbench.augmentations.availability import missing, missing_of
from workbench.augmentations.pipeline import parse
from workbench.core import presets
from workbench.losses import METHODS as LOSSES
from workbench.recipes import RECIPES
from workbench.ui.address import choose_button
from workbench.ui.asking import Known, Question, answered, ask
from workbench.ui.differences import edits_html, legend_html
from workbench.ui.figures import download, takeaway
from workbench.ui.lexicons import offer_wordnet
from workbench.ui.notices import empty, facts, quiet
from workbench.ui.pipelines import pipeline_editor
from workbench.ui.repeat import python_call, repeat
from workbench.ui.words import count, html, listed, share

if TYPE_CHECKING:
    from pandas import DataFrame

_VIEWS = {"augment_a": "View 1", "augment_b": "View 2", "augment_negatives": "Negative"}
"""Names in the address, which are those of the Train page."""


def view_pipelines() -> tuple[str, dict[str, str]]:
    """The line of the pipeline that is looked at, and those of all views by their names in the address."""
    chosen = choose_button("Pipeline of", list(_VIEWS), key="view", start="augment_a", shown=_VIEWS.__getitem__)
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
    into = f"the recipe{'s'[: len(recipes) > 1]} {listed(recipes)}" if recipes else "none of the recipes so far"
    return f"A text that no longer says the same. Only the losses {listed(losses)} take one, and {into}."


def draw_form() -> dict[str, Any]:
    """Seed, number of draws, and what no step may touch; kept in the address."""
    left, right = st.columns(2)
    seed = left.number_input(
        "Seed", 0, 2**31 - 1, 0, key="seed", bind="query-params", help="Every draw follows from it."
    )
    draws = right.slider("Draws", 1, 20, 4, key="draws", bind="query-params", help="Variants of each sentence.")
    protect, pattern = protected_form()
    return {"seed": int(seed), "draws": int(draws), "protect": protect, "protect_pattern": pattern}


def protected_form(protect: tuple[str, ...] = (), pattern: str = "", *, prefix: str = "") -> tuple[list[str], str]:
    """Terms and an expression that no augmentation of texts may touch.

    They are kept in the address; those of a form, whose keys begin with `prefix`, the form keeps.
    """
    keep: dict[str, Any] = {"persist_state": "session"} if prefix else {"bind": "query-params"}
    begun = st.session_state.get(f"{prefix}protect") or protect
    with st.expander("Protected words", expanded=bool(begun or st.query_params.get("protect"))):
        typed = st.text_area(
            "Terms, one a line",
            "\n".join(protect),
            key=f"{prefix}protect",
            height=90,
            placeholder="Product names, codes, placeholders",
            help="As they are written, capitals included.",
            **keep,
        )
        expression = st.text_input(
            "Regular expression",
            pattern,
            key=f"{prefix}protect_pattern",
            placeholder=r"such as \d+ or “[^”]*”",
            help="What it finds is left as it is written.",
            **keep,
        )
    return [line.strip() for line in (typed or "").splitlines() if line.strip()], (expression or "").strip()


@st.cache_data(show_spinner=False, max_entries=64, scope="session")
def augmented(line: str, sentences: tuple[str, ...], corpus: str, asked: dict[str, Any]) -> "DataFrame":
    """See `api.augment`."""
    return api.augment(line, sentences, corpus=corpus, **asked)


def _fetch_wanted(line: str) -> bool:
    """Whether somebody clicked that the models of a pipeline are to be fetched now."""
    if not any(missing(step) for step in parse(line).at("models")):
        return False
    if st.button("Fetch and draw", key="fetch", help="Downloads what is named above from the Hugging Face Hub; once."):
        st.session_state["fetch.line"] = line
    return bool(st.session_state.get("fetch.line") == line)


def drawn(
    line: str, sentences: list[str], corpus: str, asked: dict[str, Any], *, fetch: bool = False
) -> "Question | Known":
    """The draws: at once, or from the compute process where a step must prepare something."""
    if not api.needs_worker(line):
        return Known(augmented(line, tuple(sentences), corpus, asked))
    said = {**asked, "fetch": True} if fetch else asked
    return ask("augment", slot="augment.draws", texts=sentences, pipeline=line, corpus=corpus, **said)


def show_drawn(line: str, sentences: list[str], corpus: str, asked: dict[str, Any], target: str) -> "DataFrame | None":
    """The draws of every sentence, marked, under how often something happened; None while they are not there."""
    if not sentences:
        empty("No sentence yet.", "Type one in the box, or take some from a set; each line is a sentence.")
        return None
    fetch = False
    if lacking := missing_of(line):
        for title, lack in lacking.items():
            empty(f"“{title}” cannot be drawn here.", lack)
        offer_wordnet()
        fetch = _fetch_wanted(line)
        if not fetch:
            return None
    question = drawn(line, sentences, corpus, asked, fetch=fetch)
    answered([question], lambda: _show(question.result, line, corpus, asked, target))
    return question.result


def _show(table: "DataFrame", line: str, corpus: str, asked: dict[str, Any], target: str) -> None:
    pipeline = parse(line)
    for caution in table.attrs.get("cautions", ()):
        empty("Look at this setting.", caution)
    if any(step.method.tags.get("counts") == "corpus" for step in pipeline.all()):
        where = "the demo sentences" if corpus == "demo" else corpus
        quiet(f"Words are counted over {where}; a run counts them over its own corpus.")
    if pipeline.on_texts:
        show_rates(table, protected=bool(asked["protect"] or asked["protect_pattern"]))
        show_draws(table, labels=len(list(pipeline.all())) > 1)
        st.html(legend_html())
        download(table, "draws.csv")
    elif pipeline:
        takeaway("The text stays as it is: these steps act on what the encoder makes of it.")
        if not target:
            quiet("Switch on “Ask an encoder” to see what they change.")
    else:
        takeaway("No step: this view differs by dropout alone.")


def show_rates(table: "DataFrame", *, protected: bool) -> None:
    """How often the text changed, came again, and was kept from harm."""
    total, changed = len(table), int(table["changed"].sum())
    again = int((table["again"] & table["changed"]).sum())
    takeaway(f"{count(changed)} of {count(total)} draws changed the text.")
    rates = {"Left unchanged": share(1 - changed / total), "Same as an earlier draw": share(again / total)}
    notes = {"Left unchanged": f"n = {count(total)}", "Same as an earlier draw": f"n = {count(total)}"}
    if protected:
        acted = int(table["acted"].sum())
        rates["Protection acted"] = f"in {count(acted)} of {count(total)} draws"
    facts(rates, notes)


def show_draws(table: "DataFrame", *, labels: bool = False) -> None:
    """Every draw under its sentence, edits marked; with `labels` also which step changed it."""
    parts = []
    for _, group in table.groupby("sentence", sort=True):
        before = group["before"].iloc[0]
        parts.append(f'<div class="draw"><span class="label">original</span><span>{html(before)}</span></div>')
        for row in group.itertuples():
            note = "again" if row.again and row.changed else "" if row.changed else "unchanged"
            said = [f"draw {row.draw}", f"<b>{note}</b>" if note else "", "protected" if row.acted else ""]
            label = "<br>".join(part for part in said if part)
            acted = ""
            if labels and row.changed:
                acted = f'<span class="by">{html(row.label.replace("+", " + "))}</span>'
            parts.append(
                f'<div class="draw"><span class="label">{label}</span>'
                f"<span>{edits_html(before, row.text)}{acted}</span></div>"
            )
        parts.append("<br>")
    st.html(f'<div class="edits">{"".join(parts)}</div>')


def repeat_draws(line: str, sentences: list[str], corpus: str, asked: dict[str, Any]) -> None:
    """The lines that make the same draws in Python and in a terminal."""
    if not (line and sentences):
        return
    defaults = {"seed": 0, "draws": 1, "protect": [], "protect_pattern": "", "corpus": "demo"}
    said = {name: value for name, value in {**asked, "corpus": corpus}.items() if value != defaults[name]}
    flags = [
        f"--{name.replace('_', '-')}={term}"
        for name, value in said.items()
        for term in (value if isinstance(value, list) else [value])
    ]
    command = shlex.join(["python", "-m", "workbench", "augment", *flags, "--", line, *sentences])
    repeat(python_call("augment", line, sentences, **said), command=command)


def use_in_a_run(lines: dict[str, str], asked: dict[str, Any]) -> None:
    """A button that carries the pipelines and protected words to Train."""
    if not any(lines.values()):
        return
    if st.button("Use in a run", type="primary", key="use", help="Opens Train with these pipelines filled in."):
        # The corpus is a field of one name on both pages, and comes along by itself.
        drawn_from = st.query_params.get("source", "") if st.query_params.get("from") == "set" else ""
        said = {name: value for name, value in {**lines, "source": drawn_from}.items() if value}
        said |= {"protected": "\n".join(asked["protect"]), "protected_pattern": asked["protect_pattern"]}
        st.switch_page("pages/train.py", query_params=said)
    told = [f"{_VIEWS[name]}: " + (f"`{line}`" if line else "dropout alone") for name, line in lines.items()]
    quiet("; ".join(told[: 3 if lines["augment_negatives"] else 2]) + ".")
