"""The sections of a report on what stands behind the verdict: tasks, the space, the trainings, their texts and machines."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from workbench.core.records import Row
from workbench.plots.takeaway import DASH, number
from workbench.report.blocks import Block, Cell, Code, Drawing, Points, Section, Sheet, Words
from workbench.report.material import Material, styles_of
from workbench.report.numbers import count, counted, duration, points, without_folders
from workbench.store.differences import differences
from workbench.store.environment import environment
from workbench.store.run import Run
from workbench.targets.styles import is_untrained

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

SPACE = ("alignment", "uniformity", "mean_cosine")
MEASURES = ("loss", "spearman", "mean_cosine")


def suite(material: Material) -> Section | None:
    """Scores by task of a suite; None if none was asked for."""
    table = material.suite
    if table.empty:
        return None
    tasks = list(dict.fromkeys(table["task"]))
    known = {(row["method"], row["task"]): row["mean"] for row in table.to_dict("records")}
    rows = tuple(
        (Cell(material.names[name]), *(Cell(points(known.get((name, task)))) for task in tasks))
        for name in material.methods["method"]
    )
    data = table.assign(method=[material.names[name] for name in table["method"]])
    sheet = Sheet("suite", material.suite_words, ("Method", *tasks), rows, data)
    return Section("tasks", "Task by task", (sheet,))


def space(material: Material) -> Section:
    """Alignment, uniformity and mean cosine of every method, and their plane."""
    from pandas import DataFrame

    data = DataFrame(
        [
            {"method": training.method, "seed": training.seed}
            | {name: training.space.get(name) for name in (*SPACE, "alignment_on", "sentences")}
            | {"spearman": training.spearman}
            for training in material.trainings
        ]
    )
    numbers = {name: data[name].astype(float) for name in SPACE}
    means = data.assign(**numbers).groupby("method", sort=False)[[*SPACE, "spearman"]].mean()
    rows = tuple(
        (Cell(material.names[str(name)]), *(Cell(number(float(row[measure]))) for measure in SPACE))
        for name, row in means.iterrows()
    )
    first = material.trainings[0].space
    distinct = count(float(str(first["sentences"])))
    caption = (
        f"Alignment on {first['alignment_on']}; uniformity and mean cosine of the {distinct} distinct sentences; means over "
        "seeds. Lower alignment and uniformity are better, at equal ranking."
    )
    head = ("Method", "Alignment ↓", "Uniformity ↓", "Mean cosine")
    named = data.assign(method=[material.names[name] for name in data["method"]]).astype({"seed": "Int64"})
    blocks: list[Block] = [Sheet("space", caption, head, rows, named)]
    if means["alignment"].notna().any():
        drawn = means.reset_index().rename(columns={"method": "target"})
        drawn = drawn.assign(
            label=[material.names[name] for name in drawn["target"]],
            untrained=[is_untrained(material.of(name)[0].target) for name in drawn["target"]],
            alignment_on=first["alignment_on"],
        )

        @cache
        def make(dark: bool) -> "Figure":
            from workbench.plots.plane import plane

            return plane(drawn, dark=dark, styles=styles_of(material, dark))

        blocks.insert(0, Drawing("plane", f"{material.pairs}; means over seeds.", make))
    return Section("space", "The space", tuple(blocks))


def curves(material: Material) -> Section | None:
    """Loss and probes over the steps of the trainings; None if nothing was trained here."""
    on = sorted({str(name) for run in material.runs for name in run.probes.get("pairs", []) if name})
    together = len(on) < 2
    table = _probes(material, MEASURES if together else MEASURES[:1])
    if table is None:
        return None
    measures = [name for name in MEASURES if name in table and table[name].notna().any()]

    @cache
    def make(dark: bool) -> "Figure":
        from workbench.plots.curves import curves as drawn_curves

        return drawn_curves(table, measures=measures, dark=dark, styles=styles_of(material, dark))

    where = f" on {on[0]}" if on else ""
    what = (
        f"Probes during training{where}"
        if together
        else f"Loss during training; probes were on {', '.join(on)}, so not alike"
    )
    caption = f"{what}. Of several seeds the mean, at the steps that all of them have."
    return Section("curves", "Training", (Drawing("curves", caption, make),))


def _probes(material: Material, measures: Sequence[str]) -> "DataFrame | None":
    """The means over seeds at the steps that all trainings of a method have, so that a line goes on with the same trainings."""
    import pandas

    parts = []
    for training in material.trainings:
        probes = training.run.probes if training.run else pandas.DataFrame()
        if len(probes) > 1:
            columns = probes.reindex(columns=["step", *measures]).drop_duplicates("step", keep="last")
            parts.append(columns.assign(target=training.method, label=material.names[training.method]))
    if not parts:
        return None
    joined = pandas.concat(parts, ignore_index=True)
    joined[[*measures]] = joined[[*measures]].astype(float)
    steps = joined.groupby(["target", "step"], sort=False)["step"].transform("size")
    whole = joined[steps == joined["target"].map(Counter(part["target"].iat[0] for part in parts))]
    found: DataFrame = whole.groupby(["target", "label", "step"], sort=False, as_index=False)[[*measures]].mean()
    return found if found[[*measures]].notna().any().any() else None


def settings(material: Material) -> Section | None:
    """The settings in which the trained methods differ; None for fewer than two."""
    trained = {training.method: training.run for training in reversed(material.trainings) if training.run}
    methods = [name for name in material.methods["method"] if name in trained]
    if len(methods) < 2:
        return None
    table = differences([trained[name].config for name in methods])
    table = table.drop(index=[name for name in ("training.seed",) if name in table.index]).map(without_folders)
    if table.empty:
        return None
    names = [material.names[name] for name in methods]
    rows = tuple(
        (Cell(str(name)), *(Cell(value or DASH) for value in row))
        for name, row in zip(table.index, table.to_numpy(), strict=True)
    )
    data = table.set_axis(names, axis=1).rename_axis("setting").reset_index()
    caption = "Settings in which the trained methods differ, apart from the seed; all others are equal."
    return Section(
        "settings",
        "Settings that differ",
        (Sheet("settings", caption, ("Setting", *names), rows, data, words=1 + len(names)),),
    )


def corpora(material: Material) -> Section | None:
    """What is known of the texts that were trained on; None if nothing was trained here."""
    from pandas import DataFrame

    runs = {_read_as(run): run for run in material.runs}
    if not runs:
        return None
    rows, data, notes = [], [], []
    for run in runs.values():
        about = _corpus(run)
        data.append(about)
        rows.append(
            (
                Cell(str(about["corpus"]), f"SHA-256 {about['sha256']}; {about['read']}"),
                *(Cell(count(_float(about[name]))) for name in ("rows", "texts", "distinct", "copies")),
                *(Cell(_percent(about[name])) for name in ("truncated", "unknown")),
            )
        )
        notes += [f"{about['corpus']}: {without_folders(note)}" for note in run.corpus_report.get("warnings", [])]
    head = ("Corpus", "Rows used", "Texts", "Distinct", "Copies", "Truncated", "Unknown tokens")
    caption = "The training texts: exact copies, texts longer than the encoder reads, and tokens that it does not know."
    blocks: list[Block] = [Sheet("corpora", caption, head, tuple(rows), DataFrame(data))]
    if notes:
        blocks.append(Points(tuple(dict.fromkeys(notes))))
    overlap = sorted(
        {
            f"{row['name']}: {count(row['common'])} of {count(row['sentences'])} sentences"
            for run in runs.values()
            for row in run.overlap
        }
    )
    if overlap:
        blocks.append(Words(f"Evaluation sentences among the training texts: {'; '.join(overlap)}."))
    return Section("corpora", "Training texts", tuple(blocks))


def _read_as(run: Run) -> tuple[object, ...]:
    """What decides how many tokens of a corpus are cut or unknown."""
    config = run.config
    return config.corpus.sha256, config.corpus.source, config.model.backbone, config.training.max_length


def _corpus(run: Run) -> "dict[str, object]":
    corpus, report = run.config.corpus, run.corpus_report
    tokens, copies = report.get("tokens"), report.get("copies")
    return {
        "corpus": without_folders(corpus.name or corpus.source),
        "sha256": corpus.sha256[:16],
        "read": f"{without_folders(run.config.model.backbone)}, at most {run.config.training.max_length} tokens",
        "rows": corpus.rows or None,
        "texts": report.get("texts"),
        "distinct": report.get("distinct"),
        "copies": copies["exact"]["copies"] if isinstance(copies, dict) else None,
        "mean_tokens": tokens["mean"] if isinstance(tokens, dict) else None,
        "truncated": tokens["truncated"] if isinstance(tokens, dict) else None,
        "unknown": tokens["unknown"] if isinstance(tokens, dict) else None,
    }


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _percent(value: object) -> str:
    known = _float(value)
    return DASH if known is None else f"{100 * known:.1f} %"


def machines(material: Material) -> Section:
    """Versions, machines and seeds: what the numbers were computed with."""
    from pandas import DataFrame

    seen: dict[str, tuple[Row, list[str]]] = {}
    for run in material.runs:
        about = dict(run.environment)
        seen.setdefault(_machine(about), (about, []))[1].append(run.id)
    here = environment()
    rows = [(Cell(_machine(about)), Cell(", ".join(ids))) for about, ids in seen.values()]
    rows.append((Cell(_machine(here)), Cell("this report, and the scores in it that no run had stored")))
    data = DataFrame(
        [{"machine": _machine(about), "of": ", ".join(ids)} for about, ids in seen.values()]
        + [{"machine": _machine(here), "of": "this report and scores that no run had stored"}]
    )
    sheet = Sheet(
        "machines",
        "Machines and versions, and what was computed with them.",
        ("Machine", "Of"),
        tuple(rows),
        data,
        words=2,
    )
    seeds = [
        f"{material.names[name]}: {', '.join(str(training.seed) for training in own)}"
        for name in material.methods["method"]
        if (own := [training for training in material.of(name) if training.seed is not None])
    ]
    blocks: list[Block] = [sheet]
    if seeds:
        blocks.append(Words(f"Seeds. {'; '.join(seeds)}."))
    return Section("machines", "Machines, versions, seeds", tuple(blocks))


def _machine(about: Row) -> str:
    packages = about.get("packages") or {}
    versions = [
        f"{name} {packages[name]}"
        for name in ("torch", "transformers", "numpy", "scipy", "scikit-learn")
        if name in packages
    ]
    cores = f"{about['cores']} cores" if about.get("cores") else ""
    memory = f"{about['memory_bytes'] / 1e9:.0f} GB" if about.get("memory_bytes") else ""
    device = about.get("device_name") or ""
    python = f"Python {about['python']}" if about.get("python") else ""
    parts = (about.get("processor"), device, cores, memory, about.get("platform"), python, *versions)
    return ", ".join(str(part) for part in parts if part) or "not recorded"


def reproduce(material: Material) -> Section:
    """The commands that make the runs and the report again."""
    lines = [without_folders(run.command_line) for run in material.runs]
    blocks: list[Block] = [
        Words("Paths are shortened to their last part. Equal seeds give equal runs on the same machine and versions."),
        Code((*dict.fromkeys(lines), material.asked.command)),
    ]
    if material.runs:
        took = sum(run.seconds for run in material.runs)
        one = len(material.runs) == 1
        which = "The training" if one else f"The {counted(len(material.runs), 'training')}"
        blocks.append(Words(f"{which} took {duration(took)}{'' if one else ' in all'}."))
    return Section("reproduce", "How to reproduce this", tuple(blocks))


def examples(material: Material) -> Section | None:
    """Pairs that the best method and the baseline rank most differently; None where texts are left out."""
    table = material.examples
    if table.empty:
        return None
    names: Sequence[str] = [name for name in table if name not in ("sentence1", "sentence2", "gold")]
    rows = tuple(
        (
            Cell(row["sentence1"], row["sentence2"]),
            Cell(f"{row['gold']:g}"),
            *(Cell(number(row[name])) for name in names),
        )
        for row in table.to_dict("records")
    )
    shown = [material.names[name] for name in names]
    data = table.rename(columns=material.names)
    caption = "The pairs whose ranks by cosine differ most between the two methods. Gold scores, and cosines."
    return Section("examples", "Where they differ", (Sheet("examples", caption, ("Pair", "Gold", *shown), rows, data),))


def notes(material: Material) -> Section | None:
    """What was noticed while the scores were computed."""
    if not material.notices:
        return None
    return Section("notes", "Notes", (Points(tuple(without_folders(note) for note in material.notices)),))
