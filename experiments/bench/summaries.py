"""The printed summaries of benchmarks."""

import statistics

from experiments.bench import Row


def summary(name: str, rows: list[Row], device: str = "cpu") -> list[str]:
    """One line per kind of measurement: median and range, and the ratio to sentence-transformers if there is one."""
    if device != "cpu":
        return _gpu_summary(name, rows)
    if "spearman" in rows[0]:
        return _effects_summary(rows)
    if name == "augment":
        return _augment_summary(rows)
    if name == "pretrain":
        return _pretrain_summary(rows)
    if name == "canvas":
        return _canvas_summary(rows)
    if name == "memory":
        return _memory_summary(rows)
    if name == "kinds":
        return _kinds_summary(rows)
    figure = (
        "sentences_per_second" if "sentences_per_second" in rows[0] else "seconds" if "seconds" in rows[0] else "ratio"
    )
    groups: dict[str, list[float]] = {}
    for row in rows:
        groups.setdefault(row["what"], []).append(row[figure])
    peers = [what for what in groups if what.startswith("sentence-transformers")]
    lines = []
    for what, values in groups.items():
        spread = f"({min(values):.2f} to {max(values):.2f}, n={len(values)})"
        line = f"{name}: {what}: {figure} {statistics.median(values):.2f} {spread}"
        for peer in peers if what not in peers else peers[: peers.index(what)]:
            ratios = [value / other for value, other in zip(values, groups[peer], strict=True)]
            line += f", {statistics.median(ratios):.2f} times {peer} ({min(ratios):.2f} to {max(ratios):.2f})"
        if memory := [row["peak_bytes"] for row in rows if row["what"] == what and row.get("peak_bytes")]:
            line += f"; at most {max(memory) / 1e6:,.0f} MB"
        scores = [row["stsb_dev_spearman"] * 100 for row in rows if row["what"] == what and "stsb_dev_spearman" in row]
        if scores:
            deviation = statistics.stdev(scores) if len(scores) > 1 else float("nan")
            line += f"; STS-B dev {statistics.mean(scores):.2f} (sd {deviation:.2f} over {len(scores)} seeds)"
        trusts = [row["trustworthiness"] for row in rows if row["what"] == what and "trustworthiness" in row]
        if len(trusts) > 1:
            line += f"; trustworthiness {statistics.mean(trusts):.4f} (sd {statistics.stdev(trusts):.4f})"
        notes = dict.fromkeys(row["note"] for row in rows if row["what"] == what and "note" in row)
        lines.append("; ".join([line, *notes]))
    return lines


def _kinds_summary(rows: list[Row]) -> list[str]:
    """The largest difference over seeds of each figure."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(f"resumed on {row['what']}", []).append(row)
    names = {
        "loss": "loss (relative)",
        "weight": "a weight",
        "weights": "weights (relative norm)",
        "score": "Spearman x 100",
    }
    return [
        f"kinds: {what}: at most "
        + ", ".join(f"{text} {max(row[name] for row in repeats):.2g}" for name, text in names.items())
        + f"; seeds {len(repeats)}"
        for what, repeats in groups.items()
    ]


def _effects_summary(rows: list[Row]) -> list[str]:
    """Mean and sample deviation over seeds of Spearman x 100, uniformity and mean cosine."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(f"{row['what']}, {row['pairs']}", []).append(row)
    lines = []
    for what, repeats in groups.items():
        parts = []
        for name, scale in (("spearman", 100), ("alignment", 1), ("uniformity", 1), ("mean_cosine", 1)):
            values = [row[name] * scale for row in repeats]
            deviation = statistics.stdev(values) if len(values) > 1 else 0.0
            parts.append(f"{name} {statistics.mean(values):.2f} (sd {deviation:.2f})")
        lines.append(f"{what}: {', '.join(parts)}, seeds {len(repeats)}")
    return lines


def _augment_summary(rows: list[Row]) -> list[str]:
    """Reading WordNet, one line per method (median and range of its speed, or why it was not measured), the statistics."""
    lines = [f"augment: {what}: {_spread(values, 2)} s" for what, values in _repeated(rows, "seconds_to_read").items()]
    speeds = _repeated(rows, "sentences_per_second")
    for what, values in sorted(speeds.items(), key=lambda item: -statistics.median(item[1])):
        lines.append(f"augment: {what}: sentences a second {_spread(values)}")
    for row in rows:
        if "absent" in row:
            lines.append(f"augment: {row['what']}: not measured: {row['absent']}")
        elif "peak_bytes" in row:
            lines.append(
                f"augment: {row['what']}, {row['sentences']:,} sentences ({row['corpus']}), {row['vocabulary']:,} terms:"
                f" {row['seconds']:.1f} s, at most {row['peak_bytes'] / 1e6:.0f} MB; for a million"
                f" {row['seconds_for_a_million']:.0f} s and at most {row['peak_bytes_for_a_million'] / 1e6:.0f} MB;"
                f" then {row['sentences_per_second']:,.0f} draws a second, window {row['window']:.1%} of the terms"
            )
    return lines


def _pretrain_summary(rows: list[Row]) -> list[str]:
    """One line per trainer: median and range, and the ratio to transformers in the same precision; then tokenising."""
    paces = _repeated(rows, "tokens_per_second")
    lines = []
    for what, values in paces.items():
        line = f"pretrain: {what}: tokens a second {_spread(values)}"
        if base := paces.get(f"transformers, {what}"):
            ratios = [value / other for value, other in zip(values, base, strict=True)]
            line += f", {statistics.median(ratios):.2f} times transformers ({min(ratios):.2f} to {max(ratios):.2f})"
        lines.append(line)
    return lines + [
        f"pretrain: tokenising {row['file_bytes'] / 1e6:.0f} MB, {row['articles']:,} articles ({row['corpus']}):"
        f" {row['tokens_per_second']:,.0f} tokens a second, at most {row['peak_bytes'] / 1e6:.0f} MB"
        f" ({row['idle_bytes'] / 1e6:.0f} MB before)"
        for row in rows
        if "peak_bytes" in row
    ]


def _canvas_summary(rows: list[Row]) -> list[str]:
    """One line per number of points: the painter, and the median and range of each figure."""
    units = {
        "payload_bytes": ("payload", 1e6, "MB", 1),
        "heap_bytes": ("memory", 1e6, "MB", 0),
        "first_seconds": ("first drawing", 1, "s", 2),
        "frames_a_second": ("moving", 1, "frames a second", 1),
        "selecting_seconds": ("selecting", 1e-3, "ms", 0),
    }
    lines = []
    for what in dict.fromkeys(row["what"] for row in rows):
        group = [row for row in rows if row["what"] == what]
        parts = [
            f"{words} {_spread([row[figure] / scale for row in group], digits)} {unit}"
            for figure, (words, scale, unit, digits) in units.items()
        ]
        lines.append(f"canvas: {what} ({group[0]['painter']}): {', '.join(parts)}")
    return lines


def _memory_summary(rows: list[Row]) -> list[str]:
    """One line per reading: bytes of server, compute process, browser and page, and how many elements the page holds."""
    parts = {
        "server_bytes": "server",
        "compute_bytes": "compute",
        "browser_bytes": "browser",
        "heap_bytes": "JavaScript",
    }
    return [
        f"memory: {row['what']}: "
        + ", ".join(f"{words} {row[name] / 1e6:,.0f} MB" for name, words in parts.items())
        + f", {row['nodes']:,} nodes, {row['listeners']:,} listeners"
        for row in rows
    ]


def _gpu_summary(name: str, rows: list[Row]) -> list[str]:
    """One line per kind of measurement, with the median and range of each of its figures."""
    units = {
        "sentences_per_second": ("sentences a second", 1, 0),
        "teraflops": ("TFLOP/s", 1, 0),
        "peak_bytes": ("GB at most", 1e9, 2),
        "stsb_dev_spearman": ("STS-B dev", 0.01, 2),
        "ratio": ("predicted over allocated", 1, 2),
        "milliseconds": ("ms", 1, 1),
    }
    lines = []
    for what in dict.fromkeys(row["what"] for row in rows):
        group = [row for row in rows if row["what"] == what]
        parts = [
            f"{words} {_spread([row[figure] / scale for row in group], digits)}"
            for figure, (words, scale, digits) in units.items()
            if figure in group[0]
        ]
        notes = dict.fromkeys(row["note"] for row in group if row.get("note"))
        lines.append("; ".join([f"{name}: {what}: {', '.join(parts)}", *notes]))
    return lines


def _repeated(rows: list[Row], figure: str) -> dict[str, list[float]]:
    """The figures of all repeats that have it, by what was measured."""
    figures: dict[str, list[float]] = {}
    for row in rows:
        if "repeat" in row and figure in row:
            figures.setdefault(row["what"], []).append(row[figure])
    return figures


def _spread(values: list[float], digits: int = 0) -> str:
    """Median and range, whole numbers unless digits are asked for."""
    median, low, high = (f"{value:,.{digits}f}" for value in (statistics.median(values), min(values), max(values)))
    return f"{median} ({low} to {high}, n={len(values)})"
