"""What is left of a forged log after a purge that stands in it, and how it is shown."""

import copy
import functools
import io
from collections.abc import Sequence
from dataclasses import replace

from attacks import Log
from forge import Forge, Signer
from forge_bytes import cbor
from forge_purged import Change, Purged
from forge_removal import receipt_file
from purges import purged
from rules import ALICE
from rules_of_removal import watched
from rules_of_time import ROTATION
from tallyverify import cbor as strict
from tallyverify.audit import replayed
from tallyverify.leaf import JournalLeaf, SealLeaf, parse_leaf
from tallyverify.request import parse_header


class Left(Purged):
    """With what a log begins now, and the rest of it."""

    def changed(self, change: Change) -> "Left":
        """With another snapshot, whatever the purge names."""
        fields = strict.decode(self.snapshot)
        change(fields)
        return replace(self, snapshot=cbor(fields))

    def public(self, trusted: Forge | None = None, without: str = "") -> Log:
        """In public files but one, perhaps to somebody who trusts the head of an earlier log."""
        head = trusted.checkpoint() if trusted else b""
        files = {name: data for name, data in self.files().items() if name != without}
        return Log(files, self.forge.ledger_id, self.forge.params, head)


def left(
    forge: Forge,
    jsn: int,
    first_kept: int = 8,
    absent: Sequence[Signer] = (),
    chain: Sequence[list[bytes]] = (),
) -> Left:
    """What a right purge leaves that stands there."""
    seen = replayed(io.BytesIO(until(forge, first_kept).log()), forge.ledger_id)
    return Left(
        forge,
        jsn,
        first_kept,
        seen.snapshot(first_kept, sorted(signer.kid for signer in absent)),
        seen.window(first_kept),
        list(chain),
        receipt_file(forge, jsn),
        forge.entries[jsn][1],
    )


def key_chain(forge: Forge, *jsns: int) -> list[list[bytes]]:
    """What a key chain has of these journals, each under the first head that has it."""
    entries = []
    for jsn in jsns:
        leaves = enumerate(leaf for leaf, *_ in forge.entries)
        size = 1 + next(at for at, leaf in leaves if at > jsn and _is_seal(leaf))
        entries.append([receipt_file(until(forge, size), jsn), forge.entries[jsn][1]])
    return entries


def until(forge: Forge, size: int) -> Forge:
    """The log as it was at that size, with the service keys that it had then."""
    before = copy.copy(forge)
    before.entries = forge.entries[:size]
    if any(_kind(leaf) == ROTATION for leaf, *_ in forge.entries[max(0, size - 2) :]):
        before.note, before.receipt = Signer("note"), Signer("receipt")
    return before


def again(forge: Forge) -> Forge:
    """The same log, to go on with otherwise."""
    return copy.deepcopy(forge)


def _kind(leaf: bytes) -> int:
    parsed = parse_leaf(leaf)
    return parse_header(parsed.header).kind if isinstance(parsed, JournalLeaf) else 0


def _is_seal(leaf: bytes) -> bool:
    return isinstance(parse_leaf(leaf), SealLeaf)


def story() -> Forge:
    """A purge at 8 of all below it, and a journal at 10 behind it."""
    return purged(watched()).submit([ALICE]).seal()


@functools.cache
def right() -> Left:
    """What is left of it, to be changed in copies alone."""
    return left(story(), 8)
