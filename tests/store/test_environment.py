"""What two environments differ in."""

from workbench.store.environment import moved, versions


def test_packages_that_came_or_went_are_without_a_version_on_one_side():
    before = {"packages": {"a": "1", "b": "1", "c": "1"}}
    assert moved(before, {"packages": {"a": "1", "b": "2", "d": "3"}}) == [
        ("b", "1", "2"),
        ("c", "1", ""),
        ("d", "", "3"),
    ]
    assert moved({}, {"packages": 3}) == [] and moved({"packages": versions()}, {"packages": versions()}) == []
