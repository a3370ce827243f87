import pytest

from workbench.core import device
from workbench.core.errors import BadSetting


@pytest.mark.parametrize(
    ("variable", "said", "otherwise", "number"),
    [
        ("WORKBENCH_THREADS", "3", 0, 3),
        ("WORKBENCH_MODELS", "", 3, 3),
        ("WORKBENCH_MODELS", " 1 ", 3, 1),
        ("WORKBENCH_CACHE_BYTES", "0", 2_000, 0),
        ("WORKBENCH_CHECKPOINT_SECONDS", "0.2", 30.0, 0.2),
        ("WORKBENCH_IDLE_SECONDS", "5", 600.0, 5.0),
        ("WORKBENCH_SPARES", "0", 1, 0),
    ],
)
def test_a_number_of_the_environment(variable, said, otherwise, number, monkeypatch):
    monkeypatch.setenv(variable, said)
    found = device.number(variable, otherwise)
    assert found == number and type(found) is type(otherwise)
    assert device.process_environment()[variable] == said
    monkeypatch.delenv(variable)
    assert device.number(variable, otherwise) == otherwise


@pytest.mark.parametrize(
    ("variable", "said", "rule"),
    [
        ("WORKBENCH_THREADS", "0", "a whole number from 1."),
        ("WORKBENCH_MODELS", "0", "a whole number from 1."),
        ("WORKBENCH_MODELS", "abc", "a whole number from 1."),
        ("WORKBENCH_CACHE_BYTES", "2GB", "a whole number from 0."),
        ("WORKBENCH_CACHE_BYTES", "-1", "a whole number from 0."),
        ("WORKBENCH_CACHE_BYTES", "1.5", "a whole number from 0."),
        ("WORKBENCH_CHECKPOINT_SECONDS", "nan", "a number from 0."),
        ("WORKBENCH_IDLE_SECONDS", "soon", "a number from 0."),
    ],
)
def test_a_bad_number_is_reported_before_a_process_is_started(variable, said, rule, monkeypatch):
    monkeypatch.setenv(variable, said)
    with pytest.raises(BadSetting) as caught:
        device.process_environment(1)
    assert str(caught.value) == f"{variable} cannot be {said!r}. It is {rule} Unset it to use the default."
