import os
import subprocess
import sys

import pytest

from tests.augmentations import standins
from tests.augmentations.trial import FILLERS, NEAREST, ODD, TEXTS, WRITERS
from workbench.augmentations.models import METHODS
from workbench.augmentations.models._weights import absent
from workbench.augmentations.text._draws import normalised


def test_every_method_of_the_catalogue_exists():
    assert set(METHODS) == {*WRITERS, *FILLERS, *NEAREST}
    for name, method in METHODS.items():
        assert {"class", "role", "language"} <= set(method.tags)
        assert ("table" in method.tags) == name.startswith("augcse_")


class TestEveryMethod:
    @pytest.mark.parametrize("name", METHODS)
    def test_results_are_line_aligned_and_odd_texts_do_no_harm(self, call, name):
        together = call(name, [*ODD, *TEXTS])
        assert len(together) == len(ODD) + len(TEXTS)
        for text, result in zip([*ODD, *TEXTS], together, strict=True):
            assert isinstance(result, str) and result == normalised(result)
            assert bool(result) == bool(normalised(text))
        assert together[len(ODD) :] == call(name, TEXTS)
        assert sum(new != normalised(old) for new, old in zip(call(name, TEXTS), TEXTS, strict=True)) >= 3

    @pytest.mark.parametrize("name", METHODS)
    def test_a_result_does_not_depend_on_the_other_texts(self, call, name):
        texts = [*TEXTS, *(f"the old dog eats {word}" for word in standins.WORDS[:5])]
        together = call(name, texts)
        assert call(name, texts[::-1]) == together[::-1]
        alone = slice(0, 2 if name in WRITERS else None)  # beams on random weights take their time
        assert [call(name, [text])[0] for text in texts[alone]] == together[alone]

    @pytest.mark.parametrize("name", METHODS)
    def test_locked_characters_are_never_lost(self, call, name):
        texts = ["a \ue000, dog runs", "(\ue001) the cat", "\ue002"]
        for old, new in zip(texts, call(name, texts), strict=True):
            mark = next(letter for letter in old if "\ue000" <= letter <= "\uf8ff")
            assert new.count(mark) == 1

    @pytest.mark.parametrize("name", METHODS)
    def test_no_texts_give_no_results(self, call, name):
        assert call(name, []) == []

    @pytest.mark.parametrize("name", [name for name in METHODS if METHODS[name].tags["language"] == "english"])
    def test_methods_for_english_leave_other_texts_unchanged(self, call, name):
        assert call(name, ["今天 天气", "42"]) == ["今天 天气", "42"]

    def test_missing_weights_offline_give_one_line_of_advice(self, tmp_path):
        code = (
            "import sys\n"
            "from workbench.augmentations.models import METHODS\n"
            "from workbench.core.errors import MissingResource\n"
            f"methods = [METHODS[name] for name in {list(WRITERS)}]\n"
            "for method in methods:\n    print(method.absent)\n"
            "assert 'torch' not in sys.modules\n"
            "for method in methods:\n    try:\n        method.prepare([])\n"
            "    except MissingResource as error:\n        print(error)\n"
        )
        away = os.environ | {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=away)
        lines = done.stdout.strip().split("\n")
        names = list(WRITERS) * 2
        assert len(lines) == len(names), done.stdout
        for name, line in zip(names, lines, strict=True):
            default = next(iter(METHODS[name].prepare_settings.values())).default
            assert default in line and "GB" in line and "folder" in line


def test_what_is_missing_is_reported_in_one_line(tmp_path):
    assert absent({"model": str(tmp_path)}) == ""
    line = absent({"there": "Helsinki-NLP/no-such", "back": str(tmp_path)}, ["no_such_package"])
    assert "\n" not in line and "Helsinki-NLP/no-such" in line and "as there" in line and "pip install" in line
