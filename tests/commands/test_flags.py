from workbench.__main__ import parser
from workbench.commands.flags import changes
from workbench.core.config import SECTIONS, section_settings


def test_every_knob_is_a_flag():
    words = "train --steps 20 --probe.every 5 --training.clip 0.5 --dedup-batch true --temperature 0.1 --pooling cls"
    words += " --selection.pairs demo:dev,demo:test --keep-head false --sts-folder x --schedule constant"
    asked, extra = parser().parse_known_args(words.split())
    assert changes(asked, extra) == {
        "training.steps": 20,
        "probe.every": 5,
        "training.clip": 0.5,
        "training.dedup_batch": True,
        "training.schedule": "constant",
        "temperature": 0.1,
        "selection.pairs": ["demo:dev", "demo:test"],
        "model.pooling": "cls",
        "model.keep_head": False,
        "evaluation.sts_folder": "x",
    }
    verbs = next(a for a in parser()._actions if a.dest == "command").choices
    train, pretrain = verbs["train"].format_help(), verbs["pretrain"].format_help()
    for section, cls in SECTIONS.items():
        for name in section_settings(cls):
            assert (f"--{section}.{name}" in train) == (section != "pretraining")
            assert (f"--{section}.{name}" in pretrain) == (section != "augmenting")
