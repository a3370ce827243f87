"""Methods: targets that differ in nothing but the seed of their training."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from workbench.store.differences import settings_but_seed
from workbench.targets.target import Target


@dataclass(frozen=True)
class MethodTargets:
    """The trainings of a method, each with another seed, by seed; or one encoder that was not trained here."""

    targets: tuple[Target, ...]
    seeds: tuple[int, ...] = ()
    """Of the trainings; empty for an encoder that was not trained here."""
    again: tuple[Target, ...] = ()
    """Other runs with the settings and the seed of one of the trainings: repetitions, which are no further sample."""

    @property
    def name(self) -> str:
        """What tells it apart: its first target in full."""
        return self.targets[0].text


def methods_of(targets: Sequence[Target]) -> tuple[MethodTargets, ...]:
    """The targets by method, in the order of each method's first. Of several trainings with one seed the first counts, see
    `said_of_again`; a run before its first step was not trained.
    """
    groups: dict[tuple[str, ...], dict[int, Target]] = {}
    again: dict[str, list[Target]] = {}
    for target in targets:
        if target.run is None or target.checkpoint == "step0" or target.run.problem:
            groups.setdefault((target.text,), {-1: target})
            continue
        variant = target.checkpoint, target.pooling, target.transform
        method = groups.setdefault((settings_but_seed(target.run), *variant), {})
        counted = method.setdefault(target.run.config.training.seed, target)
        if counted.text != target.text:
            again.setdefault(counted.text, []).append(target)
    return tuple(
        MethodTargets(tuple(own.values()), ())
        if -1 in own
        else MethodTargets(
            tuple(own[seed] for seed in sorted(own)),
            tuple(sorted(own)),
            tuple(target for seed in sorted(own) for target in again.get(own[seed].text, ())),
        )
        for own in groups.values()
    )


def said_of_again(names: Iterable[str]) -> list[str]:
    """What is said of runs with the settings and the seed of another that is counted; nothing of none.

    >>> said_of_again(["my run"])
    ['Not counted as a further seed, since a run with the same settings and seed is: my run.']
    """
    named = ", ".join(dict.fromkeys(names))
    return [f"Not counted as a further seed, since a run with the same settings and seed is: {named}."] if named else []


def said_of_unpaired(methods: Iterable[tuple[str, Sequence[int]]]) -> list[str]:
    """What is said of methods, as names and seeds, that share seeds with another but are not compared seed by seed, since one of
    the two has others as well; nothing of none.

    >>> said_of_unpaired([("one", (0, 1)), ("two", (0, 1, 2)), ("three", (7, 8)), ("four", (0,))])
    ['Compared without pairing their seeds, since one has some that the other has not: one (0, 1) and two (0, 1, 2).']
    """
    several = [(name, set(seeds)) for name, seeds in methods if len(seeds) > 1]
    unlike = [
        f"{name} ({_listed(seeds)}) and {other} ({_listed(others)})"
        for (name, seeds), (other, others) in combinations(several, 2)
        if seeds & others and seeds != others
    ]
    more = f"; and {len(unlike) - 3} more" if len(unlike) > 3 else ""
    named = "; ".join(unlike[:3]) + more
    return (
        [f"Compared without pairing their seeds, since one has some that the other has not: {named}."] if unlike else []
    )


def _listed(seeds: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(seeds)))
