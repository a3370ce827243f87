"""Gradients of several processes, summed in buckets: each is sent as soon as it is full, while the backward pass goes on.

As DistributedDataParallel does it, which cannot be used here: it waits for `.backward()`, and gradients are taken here with
respect to rounded copies of the weights (see `Computing`), some of them only to be recomputed.
"""

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor, nn

BUCKET_BYTES = 25 * 2**20
"""Of one message: large enough that its start costs nothing, small enough that the first leaves early."""
MEAN = ("head.", "objectives.")
"""Parameters of which each process has the whole gradient, since each saw all rows. Those of the backbone are shares."""


class Exchange:
    """The buckets of one training. All processes must come to gradients for the same parameters in each step."""

    def __init__(self, count: int, *, bucket_bytes: int = BUCKET_BYTES) -> None:
        self.count, self.bucket_bytes = count, bucket_bytes
        self.early = 0
        """How many buckets of the latest step were sent before its backward pass had ended."""
        self._buckets: list[_Bucket] = []
        self._of: dict[nn.Parameter, _Bucket] = {}
        self._sent = 0

    def begin(self) -> None:
        """To be called once heads and objectives have their gradients, before those of the backbone are computed."""
        self._sent = self.early = 0
        self._send_full()

    def ready(self, parameter: "nn.Parameter", piece: "Tensor") -> None:
        """Take the last piece of a parameter's gradient; what came before it is in `.grad`."""
        bucket = self._of.get(parameter)
        if bucket is None:  # the first step, or the first with this parameter
            piece = piece.to(parameter.dtype, copy=True)
            parameter.grad = piece if parameter.grad is None else parameter.grad + piece
            return
        bucket.pieces[parameter] = piece
        self._send_full()

    def _send_full(self) -> None:
        # In order: all processes must send the same bucket at the same time.
        while self._sent < len(self._buckets) and self._buckets[self._sent].full:
            self._buckets[self._sent].send()
            self._sent += 1

    def finish(self, parameters: "Mapping[str, nn.Parameter]") -> None:
        """Send the rest. Afterwards `.grad` of each parameter is the gradient of the whole batch."""
        self.early = self._sent
        planned = list(chain.from_iterable(bucket.parameters for bucket in self._buckets[self._sent :]))
        sent = set(chain.from_iterable(bucket.parameters for bucket in self._buckets[: self._sent]))
        rest = {
            name: parameter
            for name, parameter in _in_order(parameters).items()
            if parameter not in sent and (parameter.grad is not None or self._piece(parameter) is not None)
        }
        if set(rest.values()) != set(planned):
            self._settle_pieces(planned)
            self._buckets[self._sent :] = self._new_buckets(rest)
            self._of = {parameter: bucket for bucket in self._buckets for parameter in bucket.parameters}
        for bucket in self._buckets[self._sent :]:
            bucket.send()
        for bucket in self._buckets:
            bucket.receive(self.count)

    def _piece(self, parameter: "nn.Parameter") -> "Tensor | None":
        bucket = self._of.get(parameter)
        return None if bucket is None else bucket.pieces.get(parameter)

    def _settle_pieces(self, parameters: "list[nn.Parameter]") -> None:
        """Put the pieces of buckets that are given up into `.grad`."""
        for parameter in parameters:
            piece = self._of.pop(parameter).pieces.pop(parameter, None)
            if piece is not None:
                self.ready(parameter, piece)

    def _new_buckets(self, parameters: "Mapping[str, nn.Parameter]") -> "list[_Bucket]":
        groups: list[list[nn.Parameter]] = []
        means: list[bool] = []
        room = 0
        for name, parameter in parameters.items():
            size, mean = parameter.numel() * parameter.element_size(), name.startswith(MEAN)
            # A table comes last, so nothing else must wait for it.
            if size > room or mean != means[-1] or size >= self.bucket_bytes:
                groups.append([])
                means.append(mean)
                room = self.bucket_bytes
            groups[-1].append(parameter)
            room -= size
        return [_Bucket(group, mean=mean) for group, mean in zip(groups, means, strict=True)]


class _Bucket:
    """Some parameters, whose gradients lie end to end in one tensor."""

    def __init__(self, parameters: "list[nn.Parameter]", *, mean: bool) -> None:
        self.parameters, self.mean = parameters, mean
        self.pieces: dict[nn.Parameter, Tensor] = {}
        self._flat = parameters[0].new_empty(sum(parameter.numel() for parameter in parameters))
        split = self._flat.split([parameter.numel() for parameter in parameters])
        self._parts = [part.view_as(one) for part, one in zip(split, parameters, strict=True)]
        self._sending: Any = None

    @property
    def full(self) -> bool:
        """Whether all gradients are complete. Those of heads and objectives are once there are any."""
        if self.mean:
            return all(parameter.grad is not None for parameter in self.parameters)
        return len(self.pieces) == len(self.parameters)

    def send(self) -> None:
        """Begin to sum over the processes; nothing waits for it."""
        import torch
        from torch import distributed

        with torch.no_grad():
            added: list[tuple[Tensor, Tensor]] = []
            copied: list[tuple[Tensor, Tensor]] = []
            for part, parameter in zip(self._parts, self.parameters, strict=True):
                given = [one for one in (self.pieces.get(parameter), parameter.grad) if one is not None]
                copied.append((part, given[0]))
                added += [(part, one) for one in given[1:]]
            torch._foreach_copy_([part for part, _ in copied], [one for _, one in copied])
            if added:
                torch._foreach_add_([part for part, _ in added], [one for _, one in added])
        self.pieces = {}
        self._sending = distributed.all_reduce(self._flat, async_op=True)

    def receive(self, count: int) -> None:
        """Make the sums, or the means over `count` processes, the gradients."""
        self._sending.wait()
        self._sending = None
        if self.mean:
            self._flat /= count
        for parameter, part in zip(self.parameters, self._parts, strict=True):
            parameter.grad = part


def _in_order(parameters: "Mapping[str, nn.Parameter]") -> "dict[str, nn.Parameter]":
    """Parameters in the order in which their gradients come: heads and objectives, then the backbone from its end."""
    backwards = list(parameters)[::-1]
    names = sorted(backwards, key=lambda name: not name.startswith(MEAN))
    return {name: parameters[name] for name in names}
