"""What augmentations prepare once: corpus statistics, lexicons, loaded models."""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from inspect import signature

from workbench.augmentations.fingerprints import Files, files
from workbench.core.config import Value
from workbench.core.method import Method, Settings, calling


class Resources:
    """The resources of one corpus, each prepared when first needed and kept until the files it was made from change."""

    def __init__(self, corpus: Sequence[str] | Callable[[], Sequence[str]] = (), *, device: str = "cpu") -> None:
        """Corpus statistics are counted over `corpus`, or over the result of that function, called when needed."""
        self._corpus, self.device = corpus, device
        self._made: dict[str, tuple[Files, object]] = {}
        self._lock = threading.RLock()

    @property
    def corpus(self) -> Sequence[str]:
        """The texts, read once."""
        with self._lock:
            if callable(self._corpus):
                self._corpus = self._corpus()
            return self._corpus

    def of(self, method: Method, settings: Mapping[str, Value]) -> tuple[object, ...]:
        """The first positional arguments of `method`: its resource, or none.

        Raises:
            MissingResource: a lexicon, model or parser is not on this machine.
        """
        if method.prepare is None:
            return ()
        wanted = {name: settings[name] for name in method.prepare_settings}
        # Methods with the same `prepare` share its result.
        key = json.dumps([method.prepare.__module__, method.prepare.__name__, wanted], sort_keys=True)
        with self._lock:
            now = files(method, settings)
            if key in self._made and self._made[key][0] != now:
                del self._made[key]  # before the new one is read, so that memory never holds two models
            if key not in self._made:
                extra = {"device": self.device} if "device" in signature(method.prepare).parameters else {}
                corpus = self.corpus
                with calling("augmentation", method):
                    self._made[key] = now, method.prepare(corpus, **wanted, **extra)
            return (self._made[key][1],)


def own_settings(method: Method, settings: Mapping[str, Value]) -> Settings:
    """The settings that the function itself takes, without those that only its resource needs."""
    # A resource may have the same name as a setting of its `prepare`: it is the first positional argument.
    taken = list(signature(method.fn).parameters)[1 if method.prepare else 0 :]
    return {name: value for name, value in settings.items() if name in taken}
