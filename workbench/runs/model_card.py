"""The model card in an exported folder: what the model is, which step of which run, what it scores, and how to use it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.core.markdown import plain
from workbench.core.records import Row
from workbench.data.references import chosen_on
from workbench.models.base_model import BACKBONE
from workbench.models.cards import EMBEDDED
from workbench.models.hub import is_hub_id
from workbench.recipes import RECIPES
from workbench.store import outcomes
from workbench.store.elsewhere import beyond, python_lines
from workbench.store.run import Run

FILE = "README.md"
_HEADS = {"step0": "before (step0)", "best": "this model", "last": "last step"}


def model_card(run: Run, *, further: Sequence[str] = ()) -> str:
    """The card of a run's model, in Markdown with the metadata that the Hub reads, in the order of sentence-transformers' cards.

    `further` are lines for a comparison that the run was part of. Folders of this machine are left out. Names are escaped: a run,
    its corpus and its pairs may be called anything, and the Hub shows the card as a page.
    """
    config, outcome = run.config, run.outcome
    lines = ["---", *_metadata(run), "---", "", f"# {plain(run.label)}", ""]
    if outcome:
        lines += [line for part in outcomes.lines(outcome) for line in (_item(part), "")]
    lines += ["| | |", "|---|---|", *(f"| {name} | {plain(value)} |" for name, value in _facts(run)), "", *_scores(run)]
    lines += [*further, *_space(run), *_corpus(run), *_leakage(run)]
    without = beyond(config)
    lines += [
        "## Use",
        "",
        *([plain(without), ""] if without else []),
        "```python",
        python_lines(config, "this/folder"),
        "```",
        "",
    ]
    if config.recipe in RECIPES:
        lines += ["## Citation", "", RECIPES[config.recipe].citation, ""]
    return "\n".join(lines)


def _metadata(run: Run) -> list[str]:
    if run.config.pretrains:
        return ["library_name: transformers", "pipeline_tag: fill-mask"]
    if beyond(run.config):
        return ["library_name: transformers", "pipeline_tag: feature-extraction"]
    return [
        "library_name: sentence-transformers",
        "pipeline_tag: sentence-similarity",
        "tags:",
        "- sentence-transformers",
        "- sentence-similarity",
        "- feature-extraction",
        *([f"- dataset_size:{run.config.corpus.rows}"] if run.config.corpus.rows else []),
        *(f"- loss:{term.name}" for term in run.config.terms if term.name.isidentifier()),
        *_started_from(run.config.model.backbone),
    ]


def _started_from(backbone: str) -> list[str]:
    """The entry that says which encoder was fine-tuned; none for a folder of this machine. The Hub accepts only its own ids."""
    if backbone in EMBEDDED:
        return [f"base_model: {EMBEDDED[backbone].hub}" if EMBEDDED[backbone].hub else f"{BACKBONE}: {backbone}"]
    return [f"base_model: {backbone}"] if is_hub_id(backbone) else []


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    config, outcome = run.config, run.outcome
    step, last = run.step_of("best") or 0, run.step_of("last") or 0
    selection = (outcome and outcome["selected_on"]) or chosen_on(config.selection)
    how = f", chosen on {', '.join(selection)}" if selection else ", the last" if step == last else ""
    yield "Step", f"{step:,} of {last:,}{how}"
    yield "Run", run.id
    recipe = RECIPES.get(config.recipe)
    yield "Recipe", f"{config.recipe} ({recipe.citation})" if recipe else config.recipe
    yield "Backbone", _name(config.model.backbone)
    corpus, training = config.corpus, config.training
    rows = f", {corpus.rows:,} rows" if corpus.rows else ""
    yield "Corpus", f"{corpus.name or _name(corpus.source)}{rows}, SHA-256 {corpus.sha256[:16]}"
    yield (
        "Training",
        f"batch size {training.batch_size}, learning rate {training.learning_rate:g}, seed {training.seed}",
    )
    if not config.pretrains:
        yield "Pooling", config.model.eval_pooling


def _scores(run: Run) -> list[str]:
    """Spearman at step 0, the kept step and the last, one row per pair set."""
    table = run.scores
    if table.empty:
        return []
    twin = run.step_of("best") == run.step_of("last")  # then it is the same model
    there = [name for name in _HEADS if (table["checkpoint"] == name).any() and not (twin and name == "last")]
    lines = ["## Scores", "", "Spearman × 100 with its 95 % interval over pairs, in fp32.", ""]
    lines += [f"| pairs | n | {' | '.join(_HEADS[name] for name in there)} |", f"|---|---{'|---' * len(there)}|"]
    for pairs, part in table.groupby("pairs", sort=False):
        by = {row["checkpoint"]: row for row in part.to_dict("records")}
        cells = " | ".join(_score(by.get(name, {})) for name in there)
        lines.append(f"| {plain(str(pairs))} | {int(part['n'].iloc[0]):,} | {cells} |")
    return [*lines, ""]


def _space(run: Run) -> list[str]:
    """Alignment, uniformity and mean cosine of the kept step, one row per pair set."""
    table = run.scores
    kept = table[table["checkpoint"] == run.kept] if len(table) else table
    if kept.empty:
        return []
    lines = ["## Geometry", "", "| pairs | alignment | uniformity | mean cosine |", "|---|---|---|---|"]
    for row in kept.to_dict("records"):
        cells = " | ".join(_figure(row.get(name)) for name in ("alignment", "uniformity", "mean_cosine"))
        lines.append(f"| {plain(str(row['pairs']))} | {cells} |")
    return [*lines, ""]


def _corpus(run: Run) -> list[str]:
    """What the corpus report says, without any text."""
    report = run.corpus_report
    tokens, copies = report.get("tokens"), report.get("copies")
    counts = {"rows": report.get("rows"), "texts": report.get("texts"), "distinct": report.get("distinct")}
    said = [f"{count:,} {words}" for words, count in counts.items() if isinstance(count, int)]
    if isinstance(copies, dict):
        said.append(f"{copies['exact']['copies']:,} exact copies")
    if isinstance(tokens, dict):
        said.append(f"{tokens['mean']:.1f} tokens on average, {100 * tokens['truncated']:.1f} % truncated")
    return ["## Training texts", "", f"{'; '.join(said)}.", ""] if said else []


def _leakage(run: Run) -> list[str]:
    """How much of each evaluation set was among the training texts."""
    lines = [
        f"- {plain(str(row['name']))}: {row['common']:,} of {row['sentences']:,} sentences"
        + (f", {row['pairs_with_gold']:,} pairs with their gold score" if row.get("pairs_with_gold") else "")
        for row in run.overlap
    ]
    return ["## Evaluation texts seen in training", "", *lines, ""] if lines else []


def _item(line: str) -> str:
    """A line of the outcome, which may be an item of a list."""
    return f"- {plain(line.removeprefix('- '))}" if line.startswith("- ") else plain(line)


def _figure(value: object) -> str:
    return f"{value:.2f}".replace("-", "−") if isinstance(value, float) and value == value else "–"


def _score(row: Row) -> str:
    values = [row.get(name) for name in ("spearman", "low", "high")]
    if not all(isinstance(value, float) and value == value for value in values):
        return "–"
    spearman, low, high = (outcomes.shown(float(str(value))) for value in values)
    return f"{spearman} ({low} to {high})"


def _name(reference: str) -> str:
    """The last part of a path; anything else, such as a Hub id, as it is.

    >>> _name("/models/my-bert"), _name("org/model")
    ('my-bert', 'org/model')
    """
    path = Path(reference).expanduser()
    return path.name if path.is_absolute() else reference
