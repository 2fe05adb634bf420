"""Time journals and what their tokens say: docs/audit.md, "Time"."""

import base64
import hashlib
from collections.abc import Callable

from .rejected import Rejected
from .request import Time

SKEW_MS_MAX = 10_000

Judge = Callable[[bytes, bytes], int]  # of a token and the imprint it must have: its genTime in ms


def head_lines(origin: str, size: int, root: bytes) -> bytes:
    """The three lines of a checkpoint, which are stamped."""
    return f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n".encode()


class Timeline:
    """The newest time journal, and the heads that the next one may name."""

    def __init__(self, judge: Judge | None) -> None:
        self._judge = judge
        self._newest: tuple[int, bytes] | None = None
        self._heads: dict[int, bytes] = {}
        self.judged = self.unjudged = 0

    def sealed(self, size: int, root: bytes) -> None:
        """A block was sealed."""
        self._heads[size] = root

    def check(self, time_ms: int, origin: str, change: Time) -> None:
        """A time journal whose leaf has this time."""
        if change.previous != self._newest:
            what = f"{change.previous}, the newest before is {self._newest}"
            raise Rejected("TIME_CHAIN_BROKEN", what)
        if self._heads.get(change.size) != change.root:
            what = f"no block since the newest left size {change.size}, root {change.root.hex()}"
            raise Rejected("TIME_HEAD_WRONG", what)
        if self._judge is None or change.token is None:
            self.unjudged += 1
            return
        lines = head_lines(origin, change.size, change.root)
        gen_time_ms = self._judge(change.token, hashlib.sha256(lines).digest())
        if abs(gen_time_ms - time_ms) > SKEW_MS_MAX:
            raise Rejected("TIME_SKEWED", f"genTime is {gen_time_ms}, the leaf of {time_ms}")
        self.judged += 1

    def follow(self, jsn: int, leaf_hash: bytes) -> None:
        """The time journal was judged; the next one names it and a later head."""
        self._newest = (jsn, leaf_hash)
        self._heads = {}
