"""Time journals and what their tokens say: docs/audit.md, "Time"."""

import base64
import hashlib
from collections.abc import Callable

from .rejected import Rejected, iso
from .request import Time
from .tledger import Entries, EntryOrder

SKEW_MS_MAX = 10_000

Judge = Callable[[bytes, bytes], int]  # of a token and the imprint it must have: its genTime in ms


def head_lines(origin: str, size: int, root: bytes) -> bytes:
    """The three lines of a checkpoint, which are stamped."""
    return f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n".encode()


class Timeline:
    """The newest time journal, and the heads that the next one may name."""

    def __init__(self, judge: Judge | None, entries: Entries | None = None) -> None:
        self._judge, self._entries, self._order = judge, entries, EntryOrder()
        self._newest: tuple[int, bytes] | None = None
        self._heads: dict[int, bytes] = {}
        self._start = 0  # the smallest size whose head may be known
        self.judged = self.unjudged = 0

    def begin(self, size: int, root: bytes, newest: tuple[int, bytes] | None) -> None:
        """The log begins at this size, behind that time journal."""
        self._start, self._heads, self._newest = size, {size: root}, newest

    def sealed(self, size: int, root: bytes) -> None:
        """A block was sealed."""
        self._heads[size] = root

    def check(self, time_ms: int, ledger_id: bytes, origin: str, change: Time) -> None:
        """A time journal whose leaf has this time, in the ledger with this id."""
        if change.previous != self._newest:
            what = f"{change.previous}, the newest before is {self._newest}"
            raise Rejected("TIME_CHAIN_BROKEN", what)
        if change.size < self._start and (self._newest is None or self._newest[0] < self._start):
            self.unjudged += 1
            return
        if self._heads.get(change.size) != change.root:
            what = f"no block since the newest left size {change.size}, root {change.root.hex()}"
            raise Rejected("TIME_HEAD_WRONG", what)
        stated_ms = self._stated(ledger_id, head_lines(origin, change.size, change.root), change)
        if stated_ms is None:
            self.unjudged += 1
            return
        if abs(stated_ms - time_ms) > SKEW_MS_MAX:
            raise Rejected("TIME_SKEWED", f"genTime is {iso(stated_ms)}, the leaf of {iso(time_ms)}")
        self.judged += 1

    def _stated(self, ledger_id: bytes, lines: bytes, change: Time) -> int | None:
        """What the token or the entry says of the time; None if nobody judges it."""
        if change.token is None:
            self._order.check(change)
            return self._entries.time_ms(change, ledger_id, lines) if self._entries else None
        if self._judge is None:
            return None
        return self._judge(change.token, hashlib.sha256(lines).digest())

    def follow(self, jsn: int, leaf_hash: bytes) -> None:
        """The time journal was judged; the next one names it and a later head."""
        self._newest = (jsn, leaf_hash)
        self._heads = {}
