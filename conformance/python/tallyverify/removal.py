"""Certificates of removals and pseudo-geneses: docs/formats/removal.md."""

import copy
import hashlib
from dataclasses import dataclass

from . import cbor, cose, keychain, merkle, receipt
from .keychain import Shown, ShownMember
from .keys import PublicKey
from .leaf import GenesisLeaf, SealLeaf, parse_leaf
from .ledger import PERMANENT, Genesis, pinned
from .members import ROLES_THAT_APPEND
from .occults import DELAY_MS
from .rejected import Malformed, Rejected, iso
from .request import OCCULT, REGULATOR, TIME, Occult, Purge, Recall, Time
from .service import ServiceKeys

ERASURE = "application/vnd.tallystick.erasure+cose"
TARGETS_MAX = 100
KEPT_MAX, KIDS_MAX, WINDOW_MAX = 65536, 65536, 2**21
FILE_BYTES_MAX, RECEIPT_FILE_BYTES_MAX, STATEMENT_BYTES_MAX = 64 << 20, 20480, 2048
_SNAPSHOT, _PSEUDO_GENESIS, _STATEMENT, _CERTIFICATE = 15, 16, 17, 18


@dataclass(frozen=True)
class Statement:
    """The service's word that a removal is carried out."""

    removal: int
    leaf_hash: bytes
    done_ms: int
    first: int
    count: int


@dataclass(frozen=True)
class Certificate:
    """What a certificate shows."""

    removal: Shown
    signers: list[ShownMember]
    statement: Statement
    targets: list[Shown]
    time: Shown | None
    heads: list[receipt.Head]


def verify(encoded: bytes, ledger_id: bytes, strand: int) -> Certificate:
    """A certificate of a removal from this ledger."""
    if len(encoded) > FILE_BYTES_MAX:
        raise Malformed(f"a certificate of {len(encoded)} bytes")
    items = cbor.array(cbor.decode(encoded), "a certificate", 8)
    cbor.exactly(items[0], _CERTIFICATE, "its type")
    params, statement, file, attestation = (
        cbor.byte_string(item, "a part of the certificate") for item in items[1:5]
    )
    files = [_file(item) for item in cbor.array(items[5], "targets", most=TARGETS_MAX)]
    time_file = None if items[6] is None else _file(items[6])
    keys = cbor.byte_string(items[7], "the key chain")
    if len(_file(file)) > RECEIPT_FILE_BYTES_MAX or len(statement) > STATEMENT_BYTES_MAX:
        raise Malformed("a part of the certificate is too long")
    removal = keychain.shown(receipt.read_file(file)[0])
    genesis = pinned(params, ledger_id)
    known = keychain.verify(genesis, strand, keys, removal.jsn)
    heads = [*known.heads, keychain.verified_file(file, known.service, strand)[1]]
    _check_kind(removal, PERMANENT in genesis.features)
    signers = known.before.check(removal, attestation)
    said = _verified_statement(statement, ledger_id, strand, known.service)
    _check_statement(said, removal)
    targets: list[Shown] = []
    for one in files:
        target = keychain.shown(receipt.read_file(one)[0])
        heads.append(keychain.verified_file(one, known.service, strand)[1])
        if targets and target.jsn <= targets[-1].jsn:
            raise Rejected("WRONG_JSN", f"target {target.jsn} after {targets[-1].jsn}")
        targets.append(target)
    _check_targets(targets, removal, said)
    if removal.header.kind == OCCULT:
        _check_regulator(removal, signers, said.first)
    time = None
    if time_file is not None:
        time = keychain.shown(receipt.read_file(time_file)[0])
        heads.append(keychain.verified_file(time_file, known.service, strand)[1])
        _check_time(time, removal)
    return Certificate(removal, signers, said, targets, time, heads)


def _file(item: object) -> bytes:
    file = cbor.byte_string(item, "a receipt file")
    if len(file) > RECEIPT_FILE_BYTES_MAX:
        raise Malformed(f"a receipt file of {len(file)} bytes")
    return file


def _check_kind(removal: Shown, permanent: bool) -> None:
    change = removal.header.change
    if isinstance(change, Occult):
        highest = change.last
    elif isinstance(change, Purge):
        highest = change.first_kept - 1
    else:
        raise Rejected("WRONG_TYPE", f"journal {removal.jsn} is no removal")
    if permanent:
        raise Rejected("BROKEN_CHAIN", "a removal from a permanent ledger")
    if highest >= removal.jsn:
        raise Rejected("BROKEN_CHAIN", f"removal {removal.jsn} names {highest}")


def _verified_statement(
    encoded: bytes, ledger_id: bytes, strand: int, service: ServiceKeys
) -> Statement:
    message = cose.sign1(cbor.decode(encoded))
    message.check_type(ERASURE)
    labels = {cose.ALG, cose.KID, cose.TYP, cose.CONTEXT}
    header = cbor.mapping(message.header, "protected", labels)
    version, of_ledger, of_strand = cbor.array(header[cose.CONTEXT], "label -70002", 3)
    cbor.exactly(version, 1, "version")
    if (cbor.digest(of_ledger, "ledgerId"), cbor.uint(of_strand, "strand")) != (ledger_id, strand):
        raise Rejected("WRONG_LEDGER", "an erasure in another ledger or strand")
    cbor.mapping(message.unprotected, "unprotected", set())
    if message.payload is None:
        raise Malformed("the payload is not attached")
    items = cbor.array(cbor.decode(message.payload), "an erasure statement", 6)
    cbor.exactly(items[0], _STATEMENT, "its type")
    removal = cbor.uint(items[1], "removal", 1)
    said = Statement(
        removal,
        cbor.digest(items[2], "leaf hash"),
        cbor.time(items[3], "doneMs"),
        cbor.uint(items[4], "first", 0, removal - 1),
        cbor.uint(items[5], "count", 1, merkle.SIZE_MAX),
    )
    message.verify(_key(message.kid, service, removal + 2), message.payload)
    return said


def _key(kid: bytes, service: ServiceKeys, size: int) -> PublicKey:
    """The receipt key of this kid that is valid for this size or for a larger one."""
    for term in service.from_size(size):
        if term.receipt_key.kid == kid:
            return term.receipt_key
    raise Rejected("WRONG_KEY", f"{kid.hex()} signs no head of size {size} or more")


def _check_statement(said: Statement, removal: Shown) -> None:
    if said.removal != removal.jsn:
        raise Rejected("WRONG_JSN", f"a statement about {said.removal}, shown is {removal.jsn}")
    if said.leaf_hash != removal.leaf_hash:
        raise Rejected("LEAF_MISMATCH", "a statement about another leaf")
    change = removal.header.change
    wait = change.recall_ms if isinstance(change, Purge) else 0
    if said.done_ms < removal.leaf.time_ms + wait:
        raise Rejected("BROKEN_CHAIN", f"erased at {iso(said.done_ms)}, too early")


def _check_targets(targets: list[Shown], removal: Shown, said: Statement) -> None:
    change = removal.header.change
    if isinstance(change, Purge):
        if said.first + said.count != change.first_kept:
            raise Rejected("LEAF_MISMATCH", "not erased up to the first kept journal")
        for target in targets:
            _within(target, said.first, change.first_kept - 1)
        return
    assert isinstance(change, Occult)
    if change.named is not None:
        fits = said.first == change.first and said.count == len(change.named)
    else:
        length = change.last - change.first + 1
        fits = change.first <= said.first <= change.last and said.count <= length
    if not fits:
        raise Rejected("LEAF_MISMATCH", f"{said.count} journals from {said.first} on")
    wanted = min(said.count, TARGETS_MAX)
    if len(targets) != wanted:
        raise Rejected("MISSING", f"{len(targets)} targets, want {wanted}")
    if change.named is None and targets[0].jsn != said.first:
        raise Rejected("LEAF_MISMATCH", f"the first target is {targets[0].jsn}")
    for i, target in enumerate(targets):
        if change.named is not None:
            jsn, leaf = change.named[i]
            _within(target, jsn, jsn)
            if target.leaf_hash != leaf:
                raise Rejected("LEAF_MISMATCH", f"target {jsn} is another leaf")
        else:
            _within(target, said.first, change.last)
            if change.clue_id not in target.header.clue_ids:
                raise Rejected("WRONG_CLUE", f"target {target.jsn} does not name the clue")
        if target.header.kind >= 16:
            raise Rejected("WRONG_TYPE", f"target {target.jsn} stays")


def _within(target: Shown, first: int, last: int) -> None:
    if not first <= target.jsn <= last:
        raise Rejected("WRONG_JSN", f"target {target.jsn}, want {first} to {last}")


def _check_regulator(removal: Shown, signers: list[ShownMember], lowest: int) -> None:
    now = removal.leaf.time_ms
    if not any(
        signer.role == REGULATOR
        and (lowest > signer.since or now >= signer.since_ms + DELAY_MS)
        for signer in signers
    ):
        raise Rejected("MISSING", f"no regulator that counts signed {removal.jsn}")


def _check_time(time: Shown, removal: Shown) -> None:
    change = time.header.change
    if not isinstance(change, Time):
        raise Rejected("WRONG_TYPE", f"journal {time.jsn} is no time journal")
    if change.size <= removal.jsn:
        raise Rejected("WRONG_SIZE", f"size {change.size} does not cover {removal.jsn}")


@dataclass(frozen=True)
class Snapshot:
    """What holds at the seal up to which a purge goes."""

    params: bytes
    strand: int
    first_kept: int
    height: int
    seal: SealLeaf
    seal_leaf: bytes
    frontier: list[bytes]
    kept: list[tuple[bytes, bytes, list[bytes]]]
    window_count: int
    window_root: bytes
    affected: list[bytes]
    absent: list[bytes]

    def tree(self) -> merkle.Tree:
        """That the seal closes."""
        tree = merkle.Tree(self.first_kept - 1, self.frontier)
        tree.add(merkle.leaf_hash(self.seal_leaf))
        return tree


@dataclass(frozen=True)
class PseudoGenesis:
    """What a purged log goes on from."""

    snapshot: Snapshot
    genesis: Genesis
    kept: list[Shown]  # but genesis
    service: ServiceKeys  # as of the seal
    purge: Shown
    signers: list[ShownMember]
    members: list[ShownMember]
    heads: list[receipt.Head]

    @property
    def first_kept(self) -> int:
        """The lowest jsn of the log."""
        return self.snapshot.first_kept

    @property
    def root(self) -> bytes:
        """Of the tree of all that went."""
        return self.snapshot.tree().root()


def pseudo_genesis(
    encoded: bytes, keys: bytes, ledger_id: bytes, strand: int
) -> PseudoGenesis:
    """With what the purged log of this ledger begins, by its key chain."""
    snapshot, file, attestation = parts(encoded)
    shot = parse_snapshot(snapshot)
    if shot.strand != strand:
        raise Rejected("WRONG_LEDGER", f"a snapshot of strand {shot.strand}")
    genesis = pinned(shot.params, ledger_id)
    known = keychain.verify(genesis, strand, keys)
    leaf, head = keychain.verified_file(file, known.service, strand)
    purge = keychain.shown(leaf)
    _check_purge(purge, shot, hashlib.sha256(b"tallystick/snapshot/1\0" + snapshot).digest())
    if (shot.seal.jsn, shot.seal.height) != (shot.first_kept - 1, shot.height):
        raise Rejected("WRONG_JSN", f"the seal {shot.seal.jsn} of block {shot.seal.height}")
    if merkle.Tree(shot.first_kept - 1, shot.frontier).root() != shot.seal.journal_root:
        raise Rejected("ROOT_MISMATCH", "the frontier folds to another root than the seal's")
    if PERMANENT in genesis.features:
        raise Rejected("BROKEN_CHAIN", "a purge of a permanent ledger")
    governance = keychain.Governance(genesis, strand)
    _check_genesis(shot)
    kept, lowest = _replay(governance, shot)
    if not governance.service.same_up_to(known.service, shot.first_kept):
        raise Rejected("WRONG_KEY", "other rotations are kept than the key chain has")
    members, service = list(governance.members.values()), copy.deepcopy(governance.service)
    for entry, signed in known.entries:
        if shot.first_kept <= entry.jsn < purge.jsn:
            governance.check(entry, signed)
            governance.apply(entry)
    signers = governance.check(purge, attestation)
    _check_affected(purge, shot, signers, lowest)
    heads = [*known.heads, head]
    return PseudoGenesis(shot, genesis, kept, service, purge, signers, members, heads)


def parts(encoded: bytes) -> tuple[bytes, bytes, bytes]:
    """Snapshot, receipt file and attestation of a pseudo-genesis."""
    number, snapshot, file, attestation = cbor.array(cbor.decode(encoded), "a pseudo-genesis", 4)
    cbor.exactly(number, _PSEUDO_GENESIS, "its type")
    return (
        cbor.byte_string(snapshot, "the snapshot"),
        _file(file),
        cbor.byte_string(attestation, "the attestation"),
    )


def parse_snapshot(encoded: bytes) -> Snapshot:
    """A snapshot, by its form alone."""
    if len(encoded) > FILE_BYTES_MAX:
        raise Malformed(f"a snapshot of {len(encoded)} bytes")
    items = cbor.array(cbor.decode(encoded), "a snapshot", 12)
    cbor.exactly(items[0], _SNAPSHOT, "its type")
    first_kept = cbor.uint(items[3], "firstKept", 4)
    seal = cbor.byte_string(items[5], "the seal")
    seal_leaf = parse_leaf(seal)
    if not isinstance(seal_leaf, SealLeaf):
        raise Malformed("the seal is another leaf")
    frontier = _hashes(items[6], "the frontier", 63)
    if len(frontier) != (first_kept - 1).bit_count():
        raise Malformed(f"a frontier of {len(frontier)} hashes")
    kept = []
    for item in cbor.array(items[7], "the journals kept", most=KEPT_MAX):
        leaf, attestation, path = cbor.array(item, "a journal kept", 3)
        kept.append(
            (
                cbor.byte_string(leaf, "a leaf"),
                cbor.byte_string(attestation, "an attestation"),
                _hashes(path, "a path", 63),
            )
        )
    if not kept:
        raise Malformed("nothing is kept")
    count, root = cbor.uint(items[8], "windowCount", 0, WINDOW_MAX), cbor.digest(items[9], "root")
    if (count == 0) != (root == merkle.root_over([])):
        raise Malformed("a window's count and root do not fit")
    affected, absent = (_hashes(item, "kids", KIDS_MAX) for item in items[10:])
    if any(a >= b for kids in (affected, absent) for a, b in zip(kids, kids[1:], strict=False)):
        raise Malformed("kids do not ascend")
    if set(absent) - set(affected):
        raise Malformed("absent is who is not affected")
    return Snapshot(
        cbor.byte_string(items[1], "GenesisParams"),
        cbor.uint(items[2], "strand", 0, 2**31 - 1),
        first_kept,
        cbor.uint(items[4], "height", 1, (first_kept - 2) // 2),
        seal_leaf,
        seal,
        frontier,
        kept,
        count,
        root,
        affected,
        absent,
    )


def _hashes(item: object, what: str, most: int) -> list[bytes]:
    return [cbor.digest(one, "a hash") for one in cbor.array(item, what, most=most)]


def _check_purge(purge: Shown, shot: Snapshot, digest: bytes) -> None:
    change = purge.header.change
    if not isinstance(change, Purge):
        raise Rejected("WRONG_TYPE", f"journal {purge.jsn} is no purge")
    if (change.first_kept, change.height) != (shot.first_kept, shot.height):
        raise Rejected("WRONG_JSN", f"a purge up to {change.first_kept}")
    if shot.first_kept > purge.jsn:
        raise Rejected("WRONG_JSN", "a purge of itself")
    if change.snapshot_digest != digest:
        raise Rejected("COMMITMENT_MISMATCH", "the purge states another snapshot")


def _check_genesis(shot: Snapshot) -> None:
    encoded, attestation, path = shot.kept[0]
    leaf = parse_leaf(encoded)
    if (
        not isinstance(leaf, GenesisLeaf)
        or leaf.params != shot.params
        or leaf.strand != shot.strand
    ):
        raise Rejected("WRONG_TYPE", "the first leaf kept is not this ledger's genesis")
    _check_path(shot, encoded, 0, path)
    if cose.attest_hash(attestation) != leaf.attest_hash:
        raise Rejected("COMMITMENT_MISMATCH", "genesis has another attestation")


def _check_path(shot: Snapshot, leaf: bytes, jsn: int, path: list[bytes]) -> None:
    root = merkle.inclusion_root(jsn, shot.first_kept, path, merkle.leaf_hash(leaf))
    if root != shot.tree().root():
        raise Rejected("ROOT_MISMATCH", f"journal {jsn} is not in the purged tree")


def _replay(governance: keychain.Governance, shot: Snapshot) -> tuple[list[Shown], int]:
    """Carries out what is kept; answers that, and where the purge before ended."""
    signatures = cose.attestation(shot.kept[0][1])
    owners = {owner.kid: owner for owner in governance.genesis.owners}
    if {one.kid for one in signatures} != set(owners):
        raise Rejected("MISSING", "not all owners signed genesis, or others did")
    for one in signatures:
        cose.check_genesis(one, shot.params)
        one.verify(owners[one.kid], shot.params)
    kept, lowest, before, times = [], 0, 0, 0
    for encoded, attestation, path in shot.kept[1:]:
        journal = keychain.shown(encoded)
        _check_path(shot, encoded, journal.jsn, path)
        times += journal.header.kind == TIME
        if journal.header.kind < 16 or times > 1:
            raise Rejected("WRONG_TYPE", f"journal {journal.jsn} is not to be kept")
        governance.check(journal, attestation)
        governance.apply(journal)
        kept.append(journal)
        change = journal.header.change
        if isinstance(change, Purge):
            before, lowest = lowest, change.first_kept
        elif isinstance(change, Recall):
            lowest = before
    return kept, lowest


def _check_affected(
    purge: Shown, shot: Snapshot, signers: list[ShownMember], lowest: int
) -> None:
    kids = {signer.key.kid for signer in signers}
    affected, absent = set(shot.affected), set(shot.absent)
    for signer in signers:
        if signer.role not in ROLES_THAT_APPEND and signer.key.kid not in affected:
            raise Rejected("NOT_A_MEMBER", f"{signer.key.kid.hex()} is not affected")
    for kid in shot.affected:
        if kid not in kids and kid not in absent:
            raise Rejected("MISSING", f"{kid.hex()} is affected and did not sign")
        if kid in kids and kid in absent:
            raise Rejected("BROKEN_CHAIN", f"{kid.hex()} signed and is absent")
    if absent:
        _check_regulator(purge, signers, lowest)
