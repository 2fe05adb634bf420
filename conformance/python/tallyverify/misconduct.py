"""Evidence against a service: docs/formats/trust.md and people-and-time.md, "Misbehaviour"."""

import hashlib
from typing import Any

from . import (
    cbor,
    consistency,
    cose,
    head,
    keychain,
    keys,
    ledger,
    lineage,
    merkle,
    receipt,
    request,
    service,
)
from .leaf import JournalLeaf, Leaf, SealLeaf, parse_leaf
from .ledger import Service
from .receipt import PATH_MAX, Head
from .rejected import Malformed, Rejected
from .timeline import SKEW_MS_MAX, Judge, head_lines

FORK, MISBEHAVIOUR = 10, 19
_MISDATED, _ATTESTATION, _SEAL, _OMITTED = 1, 2, 3, 4
_RECEIPTS_MAX, _ITEMS_MAX = 100, 201


def confirm(by: Service, strand: int, encoded: bytes, judge: Judge | None = None) -> None:
    """Ends if the file convicts the service of the ledger; refuses it for a reason otherwise."""
    items = cbor.array(cbor.decode(encoded), "evidence")
    if items[:1] == [FORK]:
        _fork(by, strand, cbor.array(items, "fork evidence", 4))
    else:
        claimed(by.ledger_id, strand, encoded, judge)


def claimed(ledger_id: bytes, strand: int, encoded: bytes, judge: Judge | None = None) -> int:
    """The claim of misbehaviour that the file confirms; its GenesisParams name the keys."""
    items = cbor.array(cbor.decode(encoded), "misbehaviour", 6)
    claim = _Claim(ledger_id, strand, items, judge)
    claim.confirm()
    return claim.claim


def _fork(by: Service, strand: int, items: list[Any]) -> None:
    statements = (cbor.byte_string(item, "a head") for item in items[1:3])
    heads = [head.verify(by, strand, statement) for statement in statements]
    smaller, larger = sorted(heads, key=lambda each: each.size)
    if smaller.size == larger.size:
        if smaller.root == larger.root:
            raise _missing("one head twice")
        return
    if items[3] is None:
        raise _missing("heads of two sizes without a proof")
    first, second, path = cbor.array(items[3], "proof", 3)
    if (first, second) != (smaller.size, larger.size):
        raise Rejected("WRONG_SIZE", f"a proof from {first} to {second}")
    old, new = consistency.roots(first, second, _path(path), smaller.root)
    if new != larger.root or old == smaller.root:
        raise _missing("the proof does not show two histories")


class _Claim:
    """One claim, its leaves under heads that the service signed."""

    def __init__(
        self, ledger_id: bytes, strand: int, items: list[Any], judge: Judge | None
    ) -> None:
        cbor.exactly(items[0], MISBEHAVIOUR, "the file's type")
        self.claim = cbor.uint(items[1], "claim", _MISDATED, _OMITTED)
        genesis = ledger.pinned(cbor.byte_string(items[2], "GenesisParams"), ledger_id)
        chain = cbor.byte_string(items[3], "KeyChain")
        self.keys = keychain.verify(genesis, strand, chain).service
        self.genesis, self.strand, self.judge = genesis, strand, judge
        self.leaves: list[Leaf] = []
        self.encoded: list[bytes] = []
        self.heads: list[Head] = []
        self.receipts: list[Any] = []
        for file in cbor.array(items[4], "receipts", most=_RECEIPTS_MAX):
            leaf, item = receipt.read_file(cbor.byte_string(file, "a receipt file"))
            by = self.keys.at(keychain.stated_size(item))
            self.heads.append(receipt.verify(by, strand, leaf, item))
            self.leaves.append(parse_leaf(leaf))
            self.encoded.append(leaf)
            self.receipts.append(item)
        more = cbor.array(items[5], "items", most=_ITEMS_MAX)
        self.items = [cbor.byte_string(item, "an item") for item in more]

    def confirm(self) -> None:
        if self.claim == _MISDATED:
            self._misdated()
        elif self.claim == _ATTESTATION:
            self._attestation()
        elif self.claim == _SEAL:
            self._seal()
        else:
            self._omitted()

    def _leaf(self, at: int) -> Leaf:
        if at >= len(self.leaves):
            raise _missing(f"no leaf {at}")
        return self.leaves[at]

    def _journal(self, at: int = 0) -> JournalLeaf:
        leaf = self._leaf(at)
        if not isinstance(leaf, JournalLeaf):
            raise Rejected("WRONG_TYPE", "a claim about another leaf")
        return leaf

    def _misdated(self) -> None:
        time = self._journal()
        change = request.parse_header(time.header).change
        if not isinstance(change, request.Time) or change.token is None:
            raise Rejected("WRONG_TYPE", "no time journal with a token")
        if self.judge is None:
            raise _missing("nobody judges the token")
        lines = head_lines(self.genesis.origin(self.strand), change.size, change.root)
        made_ms = self.judge(change.token, hashlib.sha256(lines).digest())
        apart_ms = time.time_ms - made_ms
        if len(self.leaves) == 1 and not self.items:
            misdated = abs(apart_ms) > SKEW_MS_MAX
        elif not self.items:
            other = self._leaf(1)
            if other.jsn <= time.jsn:
                raise Rejected("WRONG_JSN", f"leaf {other.jsn} is not above {time.jsn}")
            misdated = other.time_ms < made_ms - SKEW_MS_MAX
        else:
            other = self._journal(1)
            size, index, path = cbor.array(cbor.decode(self.items[0]), "proof", 3)
            hashed = merkle.leaf_hash(self.encoded[1])
            if size != change.size or index != other.jsn:
                raise Rejected("WRONG_SIZE", "a proof of another size or leaf")
            if merkle.inclusion_root(index, size, _path(path), hashed) != change.root:
                raise Rejected("ROOT_MISMATCH", "the journal is not below the token")
            misdated = other.time_ms > made_ms + SKEW_MS_MAX
        if not misdated:
            raise _missing("dated within the token's bounds")

    def _attestation(self) -> None:
        journals = [self._journal(at) for at in range(len(self.leaves))]
        if not journals or not self.items:
            raise _missing("no journal or no attestation")
        places = [(journal.batch_index, journal.batch_count) for journal in journals]
        if places != [(at, len(journals)) for at in range(len(journals))]:
            raise _missing("not all journals of a batch in order")
        encoded, spkis = self.items[0], self.items[1:]
        hashed = cose.attest_hash(encoded)
        if any(journal.attest_hash != hashed for journal in journals):
            raise Rejected("COMMITMENT_MISMATCH", "another attestation than the leaf's")
        known = {key.kid: key for key in map(keys.parse, spkis)}
        try:
            self._verify(journals, encoded, known)
        except Rejected:
            return
        raise _missing("the attestation verifies")

    def _verify(
        self, journals: list[JournalLeaf], encoded: bytes, known: dict[bytes, keys.PublicKey]
    ) -> None:
        hashes = [hashlib.sha256(journal.header).digest() for journal in journals]
        signatures = cose.attestation(encoded)
        change = request.parse_header(journals[0].header).change
        own: dict[bytes, keys.PublicKey] = {}
        if isinstance(change, request.KeyRotation | request.Time):
            present = self.keys.in_force(journals[0].jsn).receipt_key
            own = service.who_must_sign(change, present, signatures)
        ledger_id = self.genesis.ledger_id
        for signature in signatures:
            key = own.get(signature.kid) or known.get(signature.kid)
            if journals[0].batch_count > 1:
                cose.check_batch(signature, ledger_id, self.strand, len(journals))
                payload = merkle.root_over(hashes)
            else:
                payload = hashes[0]
                typ = cose.SERVICE_REQUEST if signature.kid in own else cose.REQUEST
                cose.check_request(signature, ledger_id, self.strand, payload, typ)
            if key:
                signature.verify(key, payload)

    def _seal(self) -> None:
        seal = self.leaves[0] if len(self.leaves) == 1 else None
        if not isinstance(seal, SealLeaf):
            raise Rejected("WRONG_TYPE", "a claim about another leaf")
        if self.heads[0].size != seal.jsn + 1:
            raise Rejected("WRONG_SIZE", f"a head of {self.heads[0].size} leaves")
        proof = cose.sign1(self.receipts[0]).unprotected[cose.VDP][-1][0]
        _, _, path = cbor.array(cbor.decode(proof), "proof", 3)
        node = path[0]
        for larger in path[1:]:
            node = merkle.node_hash(larger, node)
        if node == seal.journal_root:
            raise _missing("the seal has the root of the leaves before it")

    def _omitted(self) -> None:
        journal = self._journal()
        if len(self.items) != 2:
            raise Malformed("no clue and proof")
        clue = cbor.digest(self.items[0], "clue id")
        if clue not in request.parse_header(journal.header).clue_ids:
            raise Rejected("WRONG_CLUE", f"journal {journal.jsn} does not name the clue")
        own = self.genesis.ledger_id
        run = lineage.verify(own, self.strand, self.heads[0], clue, self.items[1])
        covered = run.clue.value is None
        if run.jsns and journal.jsn not in run.jsns:
            behind = run.jsns[0] < journal.jsn or run.first == 0
            covered = behind and (journal.jsn < run.jsns[-1] or run.reaches_the_last)
        if not covered:
            raise _missing("the lineage does not leave the journal out")


def _path(value: Any) -> list[bytes]:
    return [cbor.digest(node, "a hash") for node in cbor.array(value, "path", most=PATH_MAX)]


def _missing(detail: str) -> Rejected:
    return Rejected("MISSING", detail)
