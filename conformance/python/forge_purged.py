"""Purged logs of forged ledgers: what they begin with, as saved logs and as public files.

A forge keeps its whole log; what is shown of it begins at the first journal that a purge keeps. The
purge names whatever snapshot it is given: with the members' keys an operator signs a wrong one.
"""

import io
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from forge import Forge, Signer
from forge_bytes import cbor, number, prefixed, root, sha
from forge_removal import PURGE
from forge_snapshot_state import as_of, image
from forge_tiles import Files, path, published
from tallyverify import cbor as decoding
from tallyverify.audit import replayed
from tallyverify.keccak import keccak256
from tallyverify.merkle import Tree

# Fields of a snapshot.
PARAMS, STRAND, FIRST_KEPT, HEIGHT, SEAL, FRONTIER, KEPT, COUNT, ROOT, AFFECTED, ABSENT = range(1, 12)
BUNDLES = ("tile/entries", "tile/attest", "tile/ops", "bodies")
_FILE, CLUE_DELETE = 256, 2

Change = Callable[[list[Any]], None]  # of the fields of a snapshot


@dataclass
class Purged:
    """A log without its beginning, and what is shown in place of that; each part open to change."""

    forge: Forge
    purge: int
    first_kept: int
    snapshot: bytes
    window: Sequence[bytes]
    chain: list[list[bytes]] = field(default_factory=list)
    file: bytes = b""  # of the purge's receipt; that of the newest head if it is empty
    attestation: bytes = b""
    begins: int | None = None  # if not with the first journal kept
    type: int = 16
    clues: bytes | None = None  # in place of the right ones
    state: bytes | None = None  # likewise
    version: int | None = None  # of the saved log, likewise
    piece: int = 1 << 20  # bytes in which that has clues and state

    def pseudo_genesis(self) -> bytes:
        """With what the log begins."""
        forge = self.forge
        file = self.file or cbor([9, forge.entries[self.purge][0], forge.receipt_of(self.purge)])
        attestation = self.attestation or forge.entries[self.purge][1]
        return cbor([self.type, self.snapshot, file, attestation])

    def key_chain(self) -> bytes:
        """The service's, empty if it shows nothing."""
        return cbor([14, self.chain]) if self.chain else b""

    def snapshot_clues(self) -> bytes:
        """The clues of the journals below, empty if none named one."""
        if self.clues is not None:
            return self.clues
        forge, records = self.forge, {}
        for clue_id, named in forge.clues.items():
            journals = [(jsn, kind) for jsn, kind in named if jsn < self.first_kept]
            if not journals:
                continue
            tree, (last, kind) = Tree(), journals[-1]
            for jsn, _ in journals:
                tree.add(sha(b"\0", sha(b"\0", forge.entries[jsn][0])))
            deleted = number(last if kind == CLUE_DELETE else 0, 8)
            records[keccak256(clue_id)] = number(tree.size, 8) + deleted + b"".join(tree.subtrees)
        if not records:
            return b""
        head = b"TALLYCLU" + number(1, 4) + number(len(records), 8)
        return head + b"".join(key + records[key] for key in sorted(records))

    def snapshot_state(self) -> bytes:
        """The state as of the purge, empty if nobody wrote below."""
        if self.state is not None:
            return self.state
        founded = self.forge.state
        forest = founded and as_of(founded, self.forge.entries[: self.first_kept])
        return image(forest).encoded() if forest and forest.partitions else b""

    def log(self, size: int | None = None, window: bytes | None = None) -> bytes:
        """The saved log."""
        forge, begins = self.forge, self.first_kept if self.begins is None else self.begins
        size = forge.jsn if size is None else size
        version = self.version or (4 if forge.state else 3)
        parts = [b"TALLYLOG", number(version, 4), forge.ledger_id, number(0, 4), number(size, 8)]
        window = b"".join(self.window) if window is None else window
        parts += map(prefixed, (self.pseudo_genesis(), window, self.key_chain()))
        parts += _pieces(self.snapshot_clues(), self.piece)
        parts += _pieces(self.snapshot_state(), self.piece) if version == 4 else []
        for leaf, attestation, state, salt, body, ops in forge.entries[begins:]:
            parts += [prefixed(leaf), prefixed(attestation)]
            parts += [prefixed(ops)] if version == 4 else []
            parts.append(number(state, 1))
            if state == 2:
                parts += [salt, prefixed(body)]
        receipt = cbor(forge.receipt_of(forge.jsn - 1))
        return b"".join(parts) + prefixed(forge.checkpoint()) + prefixed(receipt)

    def files(self) -> Files:
        """The public files, bodies below the first journal kept gone and whole bundles with them."""
        forge, kept = self.forge, self.first_kept
        files = published(forge.log())
        for bundle in range(kept // _FILE):
            for kind in BUNDLES:
                files.pop(path(kind, bundle, _FILE), None)
        across, first = path("bodies", kept // _FILE, min(_FILE, forge.jsn - kept // _FILE * _FILE)), 0
        bodies = files.get(across, b"")
        at = 0
        while first < kept % _FILE:
            at += 4 + int.from_bytes(bodies[at : at + 4], "big")
            first += 1
        if first:
            files[across] = bytes(4 * first) + bodies[at:]
        files["pseudo-genesis"] = self.pseudo_genesis()
        files["snapshot/window"] = b"".join(self.window)
        if clues := self.snapshot_clues():
            files["snapshot/clues"] = clues
        if state := self.snapshot_state():
            files["snapshot/state"] = state
        if self.chain:
            files["key-chain"] = self.key_chain()
        return files


def purged(
    forge: Forge,
    first_kept: int,
    signers: Sequence[Signer],
    absent: Sequence[Signer] = (),
    recall_ms: int = 0,
    change: Change | None = None,
    window: Callable[[list[bytes]], None] | None = None,
    named: dict[int, Any] | None = None,
    seen: int | None = None,
) -> Purged:
    """A purge in a block of its own, not sealed, and the log that begins with it.

    change: of the snapshot, which the purge then names; window: of its entries, likewise. named
    replaces fields of the purge itself. seen: how many leaves the snapshot is made from, where a
    later one is wrong.
    """
    right = copy(forge)
    right.entries = forge.entries[:seen]
    purges = replayed(io.BytesIO(right.log()), forge.ledger_id)
    gone = sorted(signer.kid for signer in absent)
    fields = decoding.decode(purges.snapshot(first_kept, gone))
    entries = purges.window(first_kept)
    if window:
        window(entries)
        fields[COUNT], fields[ROOT] = len(entries), _window_root(entries)
    if change:
        change(fields)
    snapshot = cbor(fields)
    digest = sha(b"tallystick/snapshot/1\0", snapshot)
    ext = [6, first_kept, purges.height(first_kept), digest, recall_ms]
    ext = [(named or {}).get(at, item) for at, item in enumerate(ext)]
    jsn = forge.jsn
    forge.submit(signers, [forge.request(kind=PURGE, ext=ext)])
    return Purged(forge, jsn, first_kept, snapshot, entries)


def _pieces(file: bytes, most: int) -> list[bytes]:
    """A file as saved logs have it."""
    parts = [prefixed(file[at : at + most]) for at in range(0, len(file), most)]
    return [*parts, prefixed(b"")]


def shown(forge: Forge, jsn: int, size: int | None = None, key: Signer | None = None) -> list[bytes]:
    """A journal as key chains have it, by the receipt key that the forge has now or by another."""
    now = forge.receipt
    forge.receipt = key or now
    file = cbor([9, forge.entries[jsn][0], forge.receipt_of(jsn, size)])
    forge.receipt = now
    return [file, forge.entries[jsn][1]]


def _window_root(entries: Sequence[bytes]) -> bytes:
    return root([sha(b"\0", entry) for entry in entries]) if entries else sha(b"")
