"""Purges of a log: docs/audit.md, "Removals", docs/formats/removal.md."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from . import cbor, merkle
from .leaf import SealLeaf
from .members import ROLES_THAT_APPEND, Member
from .occults import Days
from .rejected import Rejected
from .removal import PseudoGenesis
from .request import TIME, Grant, Header, Purge, Recall, Time

_SNAPSHOT = 15
_GOVERNANCE = 16  # kinds from here on stay


@dataclass
class _Seen:
    jsn: int
    time_ms: int
    first_kept: int
    recall_ms: int
    recalled: bool = False

    def open(self, time_ms: int) -> bool:
        return time_ms - self.time_ms <= self.recall_ms


@dataclass
class Purges:
    """All that a snapshot of this log may need, and the purges so far."""

    params: bytes = b""
    strand: int = 0
    permanent: bool = False
    days: Days = field(default_factory=Days)  # shared with the occults
    _begun: PseudoGenesis | None = None
    _leaves: merkle.Leaves = field(default_factory=merkle.Leaves)
    _kept: list[tuple[int, int, bytes, bytes]] = field(default_factory=list)
    _signed: list[tuple[int, bytes]] = field(default_factory=list)
    _successors: list[tuple[int, bytes, bytes]] = field(default_factory=list)
    _used: list[tuple[int, bytes, int]] = field(default_factory=list)
    _seals: dict[int, tuple[SealLeaf, bytes]] = field(default_factory=dict)
    _purges: list[_Seen] = field(default_factory=list)
    _time_size: int | None = None

    @property
    def count(self) -> int:
        """Of the purges that were not recalled."""
        return len(self._standing())

    @property
    def first_kept(self) -> int:
        """The lowest jsn that no purge so far removed."""
        return self._standing()[-1].first_kept if self._standing() else 0

    def _standing(self) -> list[_Seen]:
        return [one for one in self._purges if not one.recalled]

    @property
    def _start(self) -> int:
        return self._begun.first_kept if self._begun else 0

    def begin(self, begun: PseudoGenesis, window: Iterable[bytes]) -> None:
        """The log goes on from what its purge has kept."""
        self._begun, shot = begun, begun.snapshot
        self.params, self.strand = shot.params, shot.strand
        self._leaves = merkle.Leaves(merkle.Tree(shot.seal.jsn, shot.frontier))
        self.add(shot.seal_leaf)
        jsns = [0, *(journal.jsn for journal in begun.kept)]
        kinds = [_GOVERNANCE, *(journal.header.kind for journal in begun.kept)]
        for jsn, kind, (leaf, attestation, path) in zip(jsns, kinds, shot.kept, strict=True):
            self._kept.append((jsn, kind, leaf, attestation))
            self._leaves.keep(jsn, path)
        for journal in begun.kept:
            change = journal.header.change
            self.days.journal(journal.jsn, None, change)
            if isinstance(change, Purge):
                self._purges.append(_seen(journal.jsn, journal.leaf.time_ms, change))
            elif isinstance(change, Recall) and self._standing():
                self._standing()[-1].recalled = True
            elif isinstance(change, Time):
                self._time_size = change.size
        self._signed = [(shot.first_kept - 1, kid) for kid in shot.affected]
        for entry in window:
            jsn, expires_ms = (int.from_bytes(part, "big") for part in (entry[16:24], entry[24:]))
            self._used.append((jsn, entry[:16], expires_ms))
        self.seal(shot.seal, shot.seal_leaf)

    def add(self, leaf: bytes) -> None:
        """The next leaf of the log."""
        self._leaves.add(merkle.leaf_hash(leaf))

    def genesis(self, params: bytes, strand: int, leaf: bytes, attestation: bytes) -> None:
        """The first leaf."""
        self.params, self.strand = params, strand
        self._kept.append((0, _GOVERNANCE, leaf, attestation))

    def seal(self, leaf: SealLeaf, encoded: bytes) -> None:
        """A block's end."""
        self._seals[leaf.jsn + 1] = (leaf, encoded)

    def submitted(
        self,
        jsn: int,
        headers: Sequence[Header],
        signed: Iterable[tuple[bytes, bytes]],
        shown: tuple[bytes, bytes],
    ) -> None:
        """A submission that keeps the rules.

        signed: kid and signature id of each signature; shown: leaf and attestation of a single one.
        """
        first, change = headers[0], headers[0].change
        kids = [kid for kid, _ in signed]
        expires_ms = max(header.expires_ms for header in headers)
        self._used += [(jsn, signature_id, expires_ms) for _, signature_id in signed]
        if first.kind >= _GOVERNANCE:
            self._kept.append((jsn, first.kind, *shown))
        else:
            self._signed += [(jsn, kid) for kid in kids]
        if isinstance(change, Grant) and change.replaces in kids:
            self._successors.append((jsn, change.replaces, change.key.kid))
        if isinstance(change, Time):
            self._time_size = change.size

    def check(
        self, jsn: int, block_jsn: int, time_ms: int, change: Purge, signers: list[Member]
    ) -> None:
        """A purge in the block that begins at this jsn, signed by an owner."""
        if self.permanent:
            raise Rejected("REMOVAL_FORBIDDEN", "a purge in a permanent ledger")
        last = self._standing()[-1] if self._standing() else None
        if change.first_kept > block_jsn:
            raise _invalid(f"up to {change.first_kept}, its block begins at {block_jsn}")
        if last and change.first_kept <= last.jsn:
            raise _invalid(f"up to {change.first_kept}, the purge before is at {last.jsn}")
        if last and last.open(time_ms):
            raise _invalid(f"purge {last.jsn} can still be recalled")
        if self._time_size is not None and change.first_kept > self._time_size:
            raise _invalid(f"beyond size {self._time_size} of the newest time journal")
        shown = self._begun is not None and jsn == self._begun.purge.jsn
        if change.first_kept >= self._start and not shown:
            self._check_snapshot(change, time_ms, signers)
        elif self._begun and shown and self._begun.snapshot.absent:
            self._check_regulator(time_ms, signers)
        self._purges.append(_seen(jsn, time_ms, change))

    def _check_snapshot(self, change: Purge, time_ms: int, signers: list[Member]) -> None:
        if change.first_kept not in self._seals:
            raise _invalid(f"no block ends below {change.first_kept}")
        if self._seals[change.first_kept][0].height != change.height:
            raise _invalid(f"block {change.height} does not end below {change.first_kept}")
        affected = self.affected(change.first_kept)
        kids = {signer.key.kid for signer in signers}
        for signer in signers:
            if signer.role not in ROLES_THAT_APPEND and signer.key.kid not in affected:
                raise Rejected("ROLE_NOT_ALLOWED", f"a signer's role is {signer.role}")
        absent = [kid for kid in affected if kid not in kids]
        digest = self.digest(change.first_kept, absent)
        if digest != change.snapshot_digest:
            what = f"the log's is {digest.hex()} with {len(absent)} absent"
            raise Rejected("SNAPSHOT_WRONG", f"{change.snapshot_digest.hex()}, {what}")
        if absent:
            self._check_regulator(time_ms, signers)

    def _check_regulator(self, time_ms: int, signers: list[Member]) -> None:
        self.days.by_clock += self.days.check(self.first_kept, time_ms, signers)

    def recall(self, time_ms: int, change: Recall) -> None:
        """A recall, signed by an owner."""
        last = self._standing()[-1] if self._standing() else None
        if last is None or last.jsn != change.purge:
            raise Rejected("RECALL_INVALID", f"{change.purge} is not the newest purge")
        if not last.open(time_ms):
            raise Rejected("RECALL_INVALID", f"purge {last.jsn} can be recalled no more")
        if self._begun and last.jsn == self._begun.purge.jsn:
            raise Rejected("PSEUDO_GENESIS_INVALID", f"the log begins with purge {last.jsn}")
        last.recalled = True

    def affected(self, first_kept: int) -> list[bytes]:
        """Who must sign a purge up to there now."""
        successor = {old: new for jsn, old, new in self._successors if jsn < first_kept}
        affected = set()
        for jsn, signer in self._signed:
            if self.first_kept <= jsn < first_kept:
                kid = signer
                while kid in successor:
                    kid = successor[kid]
                affected.add(kid)
        return sorted(affected)

    def height(self, first_kept: int) -> int:
        """Of the block that ends below."""
        return self._seals[first_kept][0].height

    def digest(self, first_kept: int, absent: Sequence[bytes]) -> bytes:
        """Of the snapshot that a purge up to there must name."""
        snapshot = self.snapshot(first_kept, absent)
        return hashlib.sha256(b"tallystick/snapshot/1\0" + snapshot).digest()

    def window(self, first_kept: int) -> list[bytes]:
        """The signatures below this jsn that could be used again behind it, as a snapshot has them."""
        now = self._seals[first_kept][0].time_ms
        return sorted(
            signature_id[:16] + jsn.to_bytes(8, "big") + expires_ms.to_bytes(8, "big")
            for jsn, signature_id, expires_ms in self._used
            if jsn < first_kept and expires_ms >= now
        )

    def snapshot(self, first_kept: int, absent: Sequence[bytes]) -> bytes:
        """At the seal below this jsn, encoded."""
        seal, encoded = self._seals[first_kept]
        window = self.window(first_kept)
        below = [one for one in self._kept if one[0] < first_kept]
        newest = max((jsn for jsn, kind, _, _ in below if kind == TIME), default=None)
        kept = [
            cbor.encode_array(
                [
                    cbor.encode_bytes(leaf),
                    cbor.encode_bytes(attestation),
                    _digests(self._leaves.path(jsn, 0, first_kept)),
                ]
            )
            for jsn, kind, leaf, attestation in below
            if kind != TIME or jsn == newest
        ]
        return cbor.encode_array(
            [
                cbor.encode_uint(_SNAPSHOT),
                cbor.encode_bytes(self.params),
                cbor.encode_uint(self.strand),
                cbor.encode_uint(first_kept),
                cbor.encode_uint(seal.height),
                cbor.encode_bytes(encoded),
                _digests(self._leaves.frontier(first_kept - 1)),
                cbor.encode_array(kept),
                cbor.encode_uint(len(window)),
                cbor.encode_bytes(merkle.root_over(window)),
                _digests(self.affected(first_kept)),
                _digests(absent),
            ]
        )


def _seen(jsn: int, time_ms: int, change: Purge) -> _Seen:
    return _Seen(jsn, time_ms, change.first_kept, change.recall_ms)


def _digests(hashes: Sequence[bytes]) -> bytes:
    return cbor.encode_array([cbor.encode_bytes(one) for one in hashes])


def _invalid(detail: str) -> Rejected:
    return Rejected("PURGE_INVALID", detail)
