"""The verbs of the command line: one verb, one file, one name.

Each file has `HELP`, one sentence; `arguments(one)`, which adds its flags; and `answer(asked, extra)`, which does it and
gives the exit status. `extra` is what no flag took. A new verb is a file here and its name in `VERBS`. Nothing heavy is
imported on the way to `--help`.
"""

VERBS = (
    "app",
    "train",
    "pretrain",
    "evaluate",
    "compare",
    "encode",
    "augment",
    "fill_mask",
    "scan",
    "sweep",
    "runs",
    "recipe",
    "list",
    "doctor",
)
"""In the order in which they are shown."""
