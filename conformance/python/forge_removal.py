"""Occults in forged logs: what one names, who signs it, bodies that are gone, certificates."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from forge import Forge, Signer
from forge_bytes import Tag, cbor
from tallyverify.audit import replayed

PURGE, OCCULT, RECALL = 21, 22, 23
ERASED = 3
ERASURE = "application/vnd.tallystick.erasure+cose"
DELAY_MS = 30 * 24 * 3600 * 1000


def journals(forge: Forge, *jsns: int) -> list:
    """A target of journals one by one, each with the leaf hash that it has."""
    hashes = forge.leaf_hashes()
    return [1, [[jsn, hashes[jsn] if jsn < len(hashes) else bytes(32)] for jsn in jsns]]


def of_clue(forge: Forge, clue: str, first: int, last: int) -> list:
    """A target of all journals in a range that name the clue."""
    return [2, forge.clue_id(clue), first, last]


def occult(
    forge: Forge, target: Any, signers: Sequence[Signer], basis: Any = "by law", **options: Any
) -> Forge:
    """An occult in the open block."""
    request = forge.request(kind=OCCULT, ext=[7, target, basis], **options)
    return forge.submit(signers, [request])


def purge(
    forge: Forge,
    first_kept: int,
    signers: Sequence[Signer],
    absent: Sequence[Signer] = (),
    recall_ms: int = 3_600_000,
) -> Forge:
    """A purge in the open block, with the snapshot that tallyverify makes; tally makes its own."""
    log = forge.log()
    purges = replayed(io.BytesIO(log), forge.ledger_id)
    digest = purges.digest(first_kept, sorted(signer.kid for signer in absent))
    ext = [6, first_kept, purges.height(first_kept), digest, recall_ms]
    return forge.submit(signers, [forge.request(kind=PURGE, ext=ext)])


def recall(forge: Forge, jsn: int, signers: Sequence[Signer]) -> Forge:
    """A recall in the open block."""
    return forge.submit(signers, [forge.request(kind=RECALL, ext=[8, jsn])])


def erase(forge: Forge, *jsns: int) -> Forge:
    """Takes the bodies of these journals out of the log, whoever allowed it."""
    for jsn in jsns:
        leaf, attestation, _, _, _, ops = forge.entries[jsn]
        forge.entries[jsn] = [leaf, attestation, ERASED, b"", b"", ops]
    return forge


def receipt_file(forge: Forge, jsn: int, size: int | None = None) -> bytes:
    """The receipt file of a leaf, by the receipt key that the forge has now."""
    return cbor([9, forge.entries[jsn][0], forge.receipt_of(jsn, size)])


def erasure(forge: Forge, jsn: int, first: int, count: int, done_ms: int | None = None) -> Tag:
    """The erasure statement of a removal, by the receipt key that the forge has now."""
    labels = {16: ERASURE, -70002: [1, forge.ledger_id, 0]}
    done_ms = forge.time_ms if done_ms is None else done_ms
    payload = cbor([17, jsn, forge.leaf_hashes()[jsn], done_ms, first, count])
    return forge.receipt.sign1(labels, payload)


@dataclass
class Certificate:
    """The parts of the certificate of a removal in a ledger, each open to change."""

    forge: Forge
    removal: int
    targets: Sequence[bytes]
    statement: Tag
    chain: Sequence[list[bytes]] = field(default_factory=list)
    file: bytes = b""
    attestation: bytes = b""
    time: bytes | None = None

    def encoded(self) -> bytes:
        """The file."""
        file = self.file or receipt_file(self.forge, self.removal)
        attestation = self.attestation or self.forge.entries[self.removal][1]
        parts = [self.forge.params, cbor(self.statement), file, attestation, list(self.targets)]
        return cbor([18, *parts, self.time, cbor([14, list(self.chain)])])


def certificate(
    forge: Forge, removal: int, targets: Sequence[int], chain: Sequence[int]
) -> Certificate:
    """The right one of an occult of these journals; chain: the jsns in its key chain."""
    files = [receipt_file(forge, jsn) for jsn in targets]
    said = erasure(forge, removal, targets[0], len(targets))
    shown = [[receipt_file(forge, jsn), forge.entries[jsn][1]] for jsn in chain]
    return Certificate(forge, removal, files, said, shown)
