"""The arguments that the command line passes to `api.scan`."""

from workbench import api
from workbench.__main__ import main
from workbench.core.errors import BadSetting


def test_every_flag_reaches_the_configuration(monkeypatch, capsys):
    told = {}

    def answer(verb, *, follow, **asked):
        told.update(asked, verb=verb.id)
        raise BadSetting("Enough.")

    monkeypatch.setattr(api, "answer", answer)
    words = ["--pipelines", "eda_swap", "--protect", "WHO", "Smith, John", "--protect-pattern=-\\d+", "--n", "50"]
    assert main(["scan", "demo", *words]) == 2
    assert told == {
        "verb": "scan",
        "corpus": "demo",
        "pipelines": ["eda_swap"],
        "protect": ["WHO", "Smith, John"],
        "protect_pattern": "-\\d+",
        "n": 50,
        "seed": 0,
        "target": "mini-mlm",
        "runs": None,
    }
    told.clear()
    assert main(["scan", "--protect-patern", "x"]) == 2 and not told
    assert "Unrecognised: --protect-patern" in capsys.readouterr().err
