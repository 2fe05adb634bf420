"""Service keys and members, from a key chain: docs/formats/people-and-time.md, "Keys by size"."""

import copy
from dataclasses import dataclass

from . import cbor, cose, receipt
from .keys import PublicKey, allowed
from .leaf import JournalLeaf, parse_leaf
from .ledger import Genesis
from .members import ROLES_THAT_APPEND
from .merkle import leaf_hash
from .rejected import Rejected
from .request import (
    CLOSE,
    GRANT,
    KEY_ROTATION,
    MEMBER_ADD,
    OCCULT,
    OWNER,
    PURGE,
    REGULATOR,
    TIME,
    Close,
    Grant,
    Header,
    KeyRotation,
    MemberAdd,
    MemberRevoke,
    parse_header,
)
from .service import ServiceKeys, split

EMPTY = bytes.fromhex("820e80")
ENTRIES_MAX = 1024
GOVERNANCE_WINDOW_MS, CLOCK_SKEW_MS = 2592000000, 30000
_TYPE = 14


@dataclass(frozen=True)
class Shown:
    """A journal's leaf with its header."""

    leaf: JournalLeaf
    header: Header
    leaf_hash: bytes

    @property
    def jsn(self) -> int:
        """Its place."""
        return self.leaf.jsn


def shown(encoded: bytes) -> Shown:
    """The journal whose leaf this is; another leaf is a WRONG_TYPE."""
    leaf = parse_leaf(encoded)
    if not isinstance(leaf, JournalLeaf):
        raise Rejected("WRONG_TYPE", f"leaf {leaf.jsn} is no journal")
    return Shown(leaf, parse_header(leaf.header), leaf_hash(encoded))


@dataclass(frozen=True)
class ShownMember:
    """A member; since the journal that gave the role, which a renewal does not change."""

    key: PublicKey
    role: int
    since: int
    since_ms: int
    not_after_ms: int | None
    delegated: bool

    def valid(self, time_ms: int) -> bool:
        """Whether its key holds at this time."""
        return self.not_after_ms is None or time_ms <= self.not_after_ms


def verified_file(
    file: bytes, service: ServiceKeys, strand: int
) -> tuple[bytes, receipt.Head]:
    """The leaf of a receipt file and the head it is under, by the key valid for its size."""
    leaf, one = receipt.read_file(file)
    return leaf, receipt.verify(service.at(stated_size(one)), strand, leaf, one)


def stated_size(one: object) -> int:
    """The size that a receipt's header states, before anything verifies it."""
    message = cose.sign1(one)
    message.check_type(cose.RECEIPT)
    context = cbor.array(message.header.get(cose.HEAD_CONTEXT), "label -70001", 4)
    return cbor.uint(context[3], "treeSize", 1)


class Governance:
    """Replays journals of governance, from genesis on."""

    def __init__(self, genesis: Genesis, strand: int) -> None:
        self.genesis = genesis
        self.strand = strand
        self.service = ServiceKeys(genesis)
        self.members = {
            owner.kid: ShownMember(owner, OWNER, 0, genesis.created_ms, None, False)
            for owner in genesis.owners
        }
        self._revoked: set[bytes] = set()
        self._last = (0, 0)
        self._closed = False

    def check(self, journal: Shown, attestation: bytes) -> list[ShownMember]:
        """The members that signed a journal which stands behind those so far."""
        self.check_place(journal)
        return self.signers(journal, attestation)

    def check_place(self, journal: Shown) -> None:
        """Its place, its batch and its request's times."""
        last_jsn, last_ms = self._last
        if journal.jsn <= last_jsn or journal.leaf.time_ms < last_ms:
            raise _broken(journal, f"stands behind {last_jsn}")
        if journal.leaf.batch_count != 1:
            raise _broken(journal, "stands in a batch")
        header, now = journal.header, journal.leaf.time_ms
        most = GOVERNANCE_WINDOW_MS if header.kind >= 16 else self.genesis.max_window_ms
        if header.expires_ms - header.client_time_ms > most:
            raise _broken(journal, "could wait too long")
        if not header.client_time_ms - CLOCK_SKEW_MS <= now <= header.expires_ms:
            raise _broken(journal, f"is of {now}, outside its times")

    def signers(self, journal: Shown, encoded: bytes) -> list[ShownMember]:
        """Verifies the attestation, and that those signed whom the kind alone needs."""
        if cose.attest_hash(encoded) != journal.leaf.attest_hash:
            raise Rejected("COMMITMENT_MISMATCH", f"another attestation of {journal.jsn}")
        header = journal.header
        if (header.ledger_id, header.strand) != (self.genesis.ledger_id, self.strand):
            raise Rejected("WRONG_LEDGER", f"journal {journal.jsn} is of another ledger")
        most = cose.SIGNERS_OF_ALL_MAX if header.kind in (PURGE, CLOSE) else cose.SIGNERS_MAX
        signatures = cose.attestation(encoded, most)
        own, others = split(signatures) if header.kind in (KEY_ROTATION, TIME) else ([], signatures)
        keys = self._service_keys(journal, own, others)
        signers = []
        for one in others:
            cose.check_request(one, header.ledger_id, self.strand, header.request_hash)
            member = self.members.get(one.kid)
            if member is None or not member.valid(journal.leaf.time_ms):
                raise Rejected("NOT_A_MEMBER", f"{one.kid.hex()} signed {journal.jsn}")
            signers.append(member)
        for one in own:
            typ = cose.SERVICE_REQUEST
            cose.check_request(one, header.ledger_id, self.strand, header.request_hash, typ)
        keys |= {member.key.kid: member.key for member in signers}
        for one in signatures:
            one.verify(keys[one.kid], header.request_hash)
        self._check_roles(journal, signers)
        return signers

    def _service_keys(
        self, journal: Shown, own: list[cose.Sign1], others: list[cose.Sign1]
    ) -> dict[bytes, PublicKey]:
        change = journal.header.change
        if not isinstance(change, KeyRotation) and journal.header.kind != TIME:
            return {}
        present = self.service.newest.receipt_key
        wanted = {present.kid: present}
        if isinstance(change, KeyRotation):
            wanted[change.receipt_key.kid] = change.receipt_key
        elif others:
            raise Rejected("WRONG_TYPE", f"another signed the time journal {journal.jsn}")
        if {one.kid for one in own} - set(wanted):
            raise Rejected("WRONG_KEY", f"no service key of {journal.jsn}")
        if set(wanted) - {one.kid for one in own}:
            raise Rejected("MISSING", f"a service key did not sign {journal.jsn}")
        if isinstance(change, KeyRotation) and not others:
            raise Rejected("MISSING", f"no member signed the rotation {journal.jsn}")
        return wanted

    def _check_roles(self, journal: Shown, signers: list[ShownMember]) -> None:
        kind = journal.header.kind
        roles = {signer.role for signer in signers}
        if kind != PURGE and roles - ROLES_THAT_APPEND:
            raise _broken(journal, "is signed by who may not append")
        if kind != TIME and OWNER not in roles:
            raise Rejected("MISSING", f"no owner signed {journal.jsn}")
        if kind == OCCULT and REGULATOR not in roles:
            raise Rejected("MISSING", f"no regulator signed {journal.jsn}")
        if kind == CLOSE and any(
            member.role == OWNER and member.valid(journal.leaf.time_ms) and member not in signers
            for member in self.members.values()
        ):
            raise Rejected("MISSING", f"an owner did not sign the closing {journal.jsn}")
        if any(signer.delegated for signer in signers) != journal.leaf.delegated:
            raise Rejected("LEAF_MISMATCH", f"the mark of journal {journal.jsn}")

    def apply(self, journal: Shown) -> None:
        """Carries out a journal that was checked."""
        change = journal.header.change
        if self._closed and not 19 <= journal.header.kind <= 23:
            raise _broken(journal, "changes a closed ledger")
        if isinstance(change, MemberAdd):
            if change.key.kid in self.members:
                raise _broken(journal, "adds a member")
            self._put(journal, change.key, change.role, None, False)
        elif isinstance(change, MemberRevoke):
            if change.kid not in self.members:
                raise _broken(journal, "revokes who is no member")
            self._revoke(change.kid)
        elif isinstance(change, Grant):
            self._grant(journal, change)
        elif isinstance(change, KeyRotation):
            self._rotate(journal, change)
        elif isinstance(change, Close):
            self._closed = True
        self._last = (journal.jsn, journal.leaf.time_ms)

    def _grant(self, journal: Shown, change: Grant) -> None:
        before = self.members.get(change.key.kid)
        if before and before.delegated and not change.delegated:
            raise _broken(journal, "takes the mark of delegated away")
        self._put(journal, change.key, change.role, change.not_after_ms, change.delegated)
        if change.replaces is not None:
            self._revoke(change.replaces)

    def _put(
        self, journal: Shown, key: PublicKey, role: int, not_after: int | None, delegated: bool
    ) -> None:
        if key.kid in self._revoked or self.service.ever_held(key):
            raise _broken(journal, f"gives a role to {key.kid.hex()}")
        allowed(key)
        since = (journal.jsn, journal.leaf.time_ms)
        before = self.members.get(key.kid)
        if before and before.role == role:
            since = (before.since, before.since_ms)
        self.members[key.kid] = ShownMember(key, role, *since, not_after, delegated)

    def _revoke(self, kid: bytes) -> None:
        self.members.pop(kid, None)
        self._revoked.add(kid)

    def _rotate(self, journal: Shown, change: KeyRotation) -> None:
        kids = self._revoked | set(self.members)
        for key in (change.note_key, change.receipt_key):
            if key.kid in kids:
                raise _broken(journal, "rotates to a member's key")
            allowed(key)
        try:
            self.service.rotate(journal.jsn, journal.jsn, change, lambda key: key.kid in kids)
        except Rejected as e:
            raise _broken(journal, e.detail) from e


@dataclass(frozen=True)
class KeyChain:
    """What a key chain shows, and what held right before one journal."""

    service: ServiceKeys
    before: Governance
    heads: list[receipt.Head]
    entries: list[tuple[Shown, bytes]]


def verify(genesis: Genesis, strand: int, encoded: bytes, journal: int | None = None) -> KeyChain:
    """A key chain of this ledger, which may hold how the signers of a journal became members."""
    number, items = cbor.array(cbor.decode(encoded), "a key chain", 2)
    cbor.exactly(number, _TYPE, "its type")
    governance = Governance(genesis, strand)
    before: Governance | None = None
    files, entries = [], []
    for item in cbor.array(items, "its journals", most=ENTRIES_MAX):
        file, attestation = (
            cbor.byte_string(part, "a part of a journal") for part in cbor.array(item, "it", 2)
        )
        leaf, one = receipt.read_file(file)
        entry = shown(leaf)
        if entry.header.kind not in (MEMBER_ADD, KEY_ROTATION, GRANT):
            raise Rejected("WRONG_TYPE", f"kind {entry.header.kind} in a key chain")
        governance.check_place(entry)
        if entry.header.kind == KEY_ROTATION:
            if stated_size(one) != entry.jsn + 2:
                raise Rejected("WRONG_SIZE", f"rotation {entry.jsn} under size {stated_size(one)}")
            verified_file(file, governance.service, strand)
        files.append(file)
        if before is None and journal is not None and entry.jsn >= journal:
            before = copy.deepcopy(governance)
        governance.signers(entry, attestation)
        governance.apply(entry)
        entries.append((entry, attestation))
    # A head may be judged by the keys of a rotation behind the journal.
    heads = [verified_file(file, governance.service, strand)[1] for file in files]
    return KeyChain(governance.service, before or governance, heads, entries)


def _broken(journal: Shown, what: str) -> Rejected:
    return Rejected("BROKEN_CHAIN", f"journal {journal.jsn} {what}")
