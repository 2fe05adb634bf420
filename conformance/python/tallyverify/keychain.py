"""The service's keys by size, from a key chain: docs/formats/people-and-time.md, "Key chain"."""

from dataclasses import dataclass, field
from typing import Any

from . import cbor, cose, receipt, request
from .keys import PublicKey, allowed
from .leaf import JournalLeaf, parse_leaf
from .ledger import Genesis
from .members import ROLES_THAT_APPEND
from .receipt import Head
from .rejected import Rejected
from .request import OWNER, Grant, KeyRotation, MemberAdd
from .service import Term

EMPTY = bytes.fromhex("820e80")
_TYPE = 14
_JOURNALS_MAX = 1024
_KINDS = (16, 19, 24)
_SKEW_MS = 30_000
_WINDOW_MS_MAX = 30 * 24 * 3600 * 1000


@dataclass
class _Member:
    key: PublicKey
    role: int
    not_after_ms: int | None = None
    delegated: bool = False
    revoked: bool = False


@dataclass
class KeyChain:
    """The keys of genesis and those that the chain shows, and the heads that it is under."""

    genesis: Genesis
    strand: int
    terms: list[Term] = field(default_factory=list)
    heads: list[Head] = field(default_factory=list)
    _members: dict[bytes, _Member] = field(default_factory=dict)
    _jsn: int = 0
    _time_ms: int = 0

    def at(self, size: int) -> Term:
        """The keys by which a head of this size is judged."""
        return next(term for term in reversed(self.terms) if term.above < size)

    def in_force(self, jsn: int) -> Term:
        """The keys of the newest rotation below a jsn."""
        return next(term for term in reversed(self.terms) if term.above < jsn + 2)

    def follow(self, file: bytes, attestation: bytes) -> None:
        """The next journal; the numbers are those of the page."""
        encoded, item = receipt.read_file(file)
        leaf = parse_leaf(encoded)
        if not isinstance(leaf, JournalLeaf) or leaf.batch_count != 1:  # 1
            raise Rejected("WRONG_TYPE", "no journal of its own")
        header = request.parse_header(leaf.header)
        if header.kind not in _KINDS:
            raise Rejected("WRONG_TYPE", f"a journal of kind {header.kind}")
        if (header.ledger_id, header.strand) != (self.genesis.ledger_id, self.strand):
            raise Rejected("WRONG_LEDGER", "a request for another ledger or strand")
        if leaf.jsn <= self._jsn or leaf.time_ms < self._time_ms:
            raise _broken(f"journal {leaf.jsn} does not follow {self._jsn}")
        size = stated_size(item)
        if header.kind == 19 and size != leaf.jsn + 2:  # 2
            raise Rejected("WRONG_SIZE", f"a rotation at {leaf.jsn} under {size} leaves")
        window = header.expires_ms - header.client_time_ms  # 3
        early = leaf.time_ms < header.client_time_ms - _SKEW_MS
        if window > _WINDOW_MS_MAX or early or leaf.time_ms > header.expires_ms:
            raise _broken(f"journal {leaf.jsn} is not dated within its request")
        self.heads.append(receipt.verify(self.at(size), self.strand, encoded, item))  # 4
        if cose.attest_hash(attestation) != leaf.attest_hash:  # 5
            raise Rejected("COMMITMENT_MISMATCH", "another attestation than the leaf's")
        self._attested(leaf, header, cose.attestation(attestation))
        self._carry_out(leaf.jsn, header.change)  # 7
        self._jsn, self._time_ms = leaf.jsn, leaf.time_ms

    def _attested(
        self, leaf: JournalLeaf, header: request.Header, signatures: list[cose.Sign1]
    ) -> None:
        """5 and 6."""
        own: dict[bytes, PublicKey] = {}
        if isinstance(header.change, KeyRotation):
            keys = (self.terms[-1].receipt_key, header.change.receipt_key)
            own = {key.kid: key for key in keys}
        signed = {s.kid for s in signatures if s.header.get(cose.TYP) == cose.SERVICE_REQUEST}
        if not set(own) <= signed:
            raise _missing("a service key that must sign did not")
        members = {s.kid: self._signer(s.kid, leaf.time_ms) for s in signatures if s.kid not in own}
        for signature in signatures:
            typ = cose.SERVICE_REQUEST if signature.kid in own else cose.REQUEST
            payload = header.request_hash
            cose.check_request(signature, header.ledger_id, self.strand, payload, typ)
            key = own.get(signature.kid) or members[signature.kid].key
            signature.verify(key, payload)
        if any(member.role not in ROLES_THAT_APPEND for member in members.values()):
            raise _broken("signed by somebody who may not append")
        if all(member.role != OWNER for member in members.values()):
            raise _missing("no owner signed")
        if leaf.delegated != any(member.delegated for member in members.values()):
            raise Rejected("LEAF_MISMATCH", "the mark does not say whether a signer is delegated")

    def _signer(self, kid: bytes, time_ms: int) -> _Member:
        member = self._members.get(kid)
        if member is None or member.revoked:
            raise Rejected("NOT_A_MEMBER", f"{kid.hex()} is no member that the chain shows")
        if member.not_after_ms is not None and time_ms > member.not_after_ms:
            raise Rejected("NOT_A_MEMBER", f"{kid.hex()} held until {member.not_after_ms}")
        return member

    def _carry_out(self, jsn: int, change: Any) -> None:
        if isinstance(change, KeyRotation):
            self._rotate(jsn, change)
            return
        before = self._members.get(_allowed(change.key).kid)
        if self._was_service_key(change.key):
            raise _broken("a service key as a member's")
        if isinstance(change, MemberAdd):
            if before:
                raise _broken(f"{change.key.kid.hex()} was added before")
            self._members[change.key.kid] = _Member(change.key, change.role)
            return
        assert isinstance(change, Grant)
        if before and (before.revoked or before.delegated and not change.delegated):
            raise _broken("a grant to a revoked key, or one that takes the mark")
        if change.replaces in self._members:
            self._members[change.replaces].revoked = True
        self._members[change.key.kid] = _Member(
            change.key, change.role, change.not_after_ms, change.delegated
        )

    def _rotate(self, jsn: int, change: KeyRotation) -> None:
        now = self.terms[-1]
        pairs = ((change.note_key, now.note_key), (change.receipt_key, now.receipt_key))
        changed = [new for new, old in pairs if new != old]
        if not changed:
            raise _broken("neither key changes")
        for key in map(_allowed, changed):
            if self._was_service_key(key) or key.kid in self._members:
                raise _broken(f"{key.kid.hex()} is or was somebody's")
        keys = (change.note_key, change.receipt_key)
        self.terms.append(Term(now.ledger_id, now.authority, jsn + 2, *keys))

    def _was_service_key(self, key: PublicKey) -> bool:
        return any(key in (term.note_key, term.receipt_key) for term in self.terms)


def verify(genesis: Genesis, strand: int, encoded: bytes) -> KeyChain:
    """The keys that a chain shows; the empty one shows those of genesis."""
    number, items = cbor.array(cbor.decode(encoded), "a key chain", 2)
    cbor.exactly(number, _TYPE, "the chain's type")
    journals = []
    for item in cbor.array(items, "journals", most=_JOURNALS_MAX):
        file, attestation = cbor.array(item, "a journal", 2)
        file = cbor.byte_string(file, "a receipt file")
        journals.append((file, cbor.byte_string(attestation, "attestation")))
    chain = KeyChain(genesis, strand)
    keys = (genesis.note_key, genesis.receipt_key)
    chain.terms.append(Term(genesis.ledger_id, genesis.authority, 0, *keys))
    chain._members = {owner.kid: _Member(owner, OWNER) for owner in genesis.owners}
    for journal in journals:
        chain.follow(*journal)
    return chain


def stated_size(item: Any) -> int:
    """The size that a receipt signs, before anything verifies it."""
    context = cbor.array(cose.sign1(item).header.get(cose.HEAD_CONTEXT), "label -70001", 4)
    return cbor.uint(context[3], "treeSize", 1)


def _allowed(key: PublicKey) -> PublicKey:
    try:
        return allowed(key)
    except Rejected as e:
        raise _broken(e.detail) from e


def _broken(detail: str) -> Rejected:
    return Rejected("BROKEN_CHAIN", detail)


def _missing(detail: str) -> Rejected:
    return Rejected("MISSING", detail)
