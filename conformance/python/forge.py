"""Founds ledgers with service keys of its own and writes any log of them, right or wrong.

Who holds the service's keys can seal and sign what breaks the rules; that is what an auditor is
for. The logs follow docs/formats; each method takes overrides of the fields it writes.
"""

import base64
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from forge_bytes import Tag, cbor, number, path, prefixed, root, sha
from forge_clues import clue_root
from forge_state import Entries, Forest

START_MS = 1_790_000_000_000
WINDOW_MS = 60_000
EMPTY_CLUE_ROOT = bytes.fromhex("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421")
EMPTY_STATE_ROOT = bytes.fromhex("ce56b540eae991a42c101f64e4910f6bc6f60641237ab8a04303694b8c3f60d8")
REQUEST, BATCH, GENESIS, RECEIPT = (
    f"application/vnd.tallystick.{name}+cose" for name in ("request", "batch", "genesis", "receipt")
)
SERVICE_REQUEST = "application/vnd.tallystick.service-request+cose"
_HEADER_TYPE = "application/vnd.tallystick.request-header+cbor"

Op = tuple[bytes, bytes | None, list[Any] | None]  # key, value or nil to delete it, precondition


class Signer:
    """A key pair, always the same for one name."""

    def __init__(self, name: str, es256: bool = False) -> None:
        seed = sha(b"forge ", name.encode())
        self.alg = -7 if es256 else -8
        if es256:
            scalar = 1 + int.from_bytes(seed, "big") % (2**255)
            self.key: Any = ec.derive_private_key(scalar, ec.SECP256R1())
        else:
            self.key = Ed25519PrivateKey.from_private_bytes(seed)
        public = self.key.public_key()
        self.spki = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.kid = sha(self.spki)

    def pem(self) -> bytes:
        """The private key as PKCS#8, in the form that docs/formats/key.md shows."""
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def sign(self, message: bytes) -> bytes:
        if self.alg == -8:
            return self.key.sign(message)
        r, s = decode_dss_signature(self.key.sign(message, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def sign1(
        self, labels: dict[int, Any], payload: bytes, attached: bool = True, unprotected: Any = None
    ) -> Tag:
        """A COSE_Sign1; labels replace alg and kid if they name them."""
        protected = cbor({1: self.alg, 4: self.kid} | labels)
        signature = self.sign(cbor(["Signature1", protected, b"", payload]))
        return Tag(18, [protected, unprotected or {}, payload if attached else None, signature])


class WithoutNonce(Signer):
    """Signs with the neutral element as R: the equation holds."""

    def sign(self, message: bytes) -> bytes:
        private = self.key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        scalar = int.from_bytes(hashlib.sha512(private).digest()[:32], "little")
        scalar = scalar & (2**254 - 8) | 2**254
        r = b"\1" + bytes(31)
        h = int.from_bytes(hashlib.sha512(r + self.spki[-32:] + message).digest(), "little")
        order = 2**252 + 27742317777372353535851937790883648493
        return r + (h * scalar % order).to_bytes(32, "little")


@dataclass
class Request:
    """What a client would send."""

    header: bytes
    salt: bytes
    body: bytes
    clue_ids: Sequence[bytes] = ()
    kind: int = 1
    ops: Sequence[list[Any]] = ()

    @property
    def hash(self) -> bytes:
        return sha(self.header)


class Forge:
    """A ledger and its log so far."""

    def __init__(self, owners: Sequence[Signer], params: dict[int, Any] | None = None) -> None:
        self.owners = sorted(owners, key=lambda owner: owner.kid)
        self.note, self.receipt = Signer("note"), Signer("receipt")
        fields = [
            1,
            "localhost",
            sha(b"name"),
            sha(b"random"),
            [owner.spki for owner in self.owners],
            [self.note.spki, self.receipt.spki],
            START_MS,
            False,
            1,
            WINDOW_MS,
            {},
            None,
        ]
        fields = _replace(fields, params)
        self.params = cbor(fields)
        shape = fields[11]
        self.state = Forest(shape[0], shape[2], shape[3]) if shape else None
        self.written: Entries = {}  # by the open block
        self.ledger_id = sha(b"tallystick/ledger/1\0", self.params)
        self.entries: list[list[Any]] = []
        self.time_ms = START_MS
        self.height = self.first_jsn = 0
        self.previous = bytes(32)
        self.salts = 0
        self.clues: dict[bytes, list[tuple[int, int]]] = {}  # jsn and kind of each one's journals

    @property
    def jsn(self) -> int:
        return len(self.entries)

    def leaf_hashes(self, size: int | None = None) -> list[bytes]:
        return [sha(b"\0", entry[0]) for entry in self.entries[:size]]

    def genesis(self, signers: Sequence[Signer] | None = None, leaf: Any = None) -> "Forge":
        signed = [o.sign1({16: GENESIS}, self.params) for o in signers or self.owners]
        attestation = cbor(signed)
        fields = [3, 0, self.time_ms, 0, self.params, sha(attestation)]
        self.entries.append([cbor(_replace(fields, leaf)), attestation, 1, b"", b"", b""])
        return self.seal()

    def request(
        self,
        payload: bytes = b"payload",
        kind: int = 1,
        ext: Any = None,
        header: Any = None,
        body: Any = None,
        salt: bytes | None = None,
        encoded_body: bytes | None = None,
        clues: Sequence[str] = (),
        ops: Sequence[Op] = (),
        op: Any = None,
    ) -> Request:
        """A request; op overrides fields of its last operation."""
        if salt is None:
            self.salts += 1
            salt = sha(b"salt", str(self.salts).encode())
        clues = sorted(clues, key=self.clue_id)
        clue_ids = [self.clue_id(clue) for clue in clues]
        encoded_ops = [_operation(salt, index, *each) for index, each in enumerate(ops)]
        if ops:
            encoded_ops[-1] = _replace(encoded_ops[-1], op)
        values = [value for _, value, _ in ops if value is not None]
        fields = [b"", "", [], []] if kind >= 16 else [payload, "text/plain", clues, values]
        encoded = cbor(_replace(fields, body)) if encoded_body is None else encoded_body
        commit = sha(b"tallystick/body/1\0", salt, encoded)
        head_fields = [1, self.ledger_id, 0, kind, 7, self.time_ms, self.time_ms + WINDOW_MS]
        ops_root = root([sha(b"\0", cbor(each)) for each in encoded_ops]) if ops else None
        head_fields += [commit, len(encoded), clue_ids, ops_root, len(ops)]
        head_fields += [{} if ext is None else {1: ext}]
        encoded_header = cbor(_replace(head_fields, header))
        return Request(encoded_header, salt, encoded, clue_ids, kind, encoded_ops)

    def clue_id(self, clue: str) -> bytes:
        return sha(b"tallystick/clue/1\0", self.ledger_id, clue.encode())

    def attest(
        self, signers: Sequence[Signer], requests: Sequence[Request], labels: Any = None
    ) -> bytes:
        """The attestation of one request or of a batch; labels replace those of the profile."""
        context = [1, self.ledger_id, 0]
        signed = []
        for signer in sorted(signers, key=lambda s: s.kid):
            if len(requests) == 1:
                profile = {16: REQUEST, 258: -16, 259: _HEADER_TYPE, -70002: context}
                signed.append(signer.sign1(profile | (labels or {}), requests[0].hash))
            else:
                payload = root([sha(b"\0", request.hash) for request in requests])
                profile = {16: BATCH, 395: 1, -70002: context + [len(requests)]}
                signed.append(signer.sign1(profile | (labels or {}), payload, attached=False))
        return cbor(signed)

    def submit_own(
        self, kind: int, content: Any, service: Sequence[Signer], members: Sequence[Signer] = ()
    ) -> "Forge":
        """A request of the service's own, signed by its keys and by members."""
        request = self.request(kind=kind, ext=content)
        types = [(signer, SERVICE_REQUEST) for signer in service]
        types += [(signer, REQUEST) for signer in members]
        context = [1, self.ledger_id, 0]
        signed = []
        for signer, typ in sorted(types, key=lambda each: each[0].kid):
            profile = {16: typ, 258: -16, 259: _HEADER_TYPE, -70002: context}
            signed.append(signer.sign1(profile, request.hash))
        return self.submit([], [request], cbor(signed))

    def head_lines(self, size: int) -> bytes:
        """The three lines of the checkpoint over the first leaves."""
        encoded = base64.b64encode(root(self.leaf_hashes(size))).decode()
        return f"{self.origin()}\n{size}\n{encoded}\n".encode()

    def submit(
        self,
        signers: Sequence[Signer],
        requests: Sequence[Request] | None = None,
        attestation: bytes | None = None,
        leaf: Any = None,
        labels: Any = None,
    ) -> "Forge":
        """Journals of one submission; leaf overrides fields of the last one."""
        requests = requests or [self.request()]
        if attestation is None:
            attestation = self.attest(signers, requests, labels)
        for index, request in enumerate(requests):
            fields = [1, self.jsn, self.time_ms, request.header, sha(attestation)]
            fields += [index, len(requests), 0, 0]
            encoded = cbor(_replace(fields, leaf if index == len(requests) - 1 else None))
            for clue_id in request.clue_ids:
                self.clues.setdefault(clue_id, []).append((self.jsn, request.kind))
            for _, _, key, commit, size, _ in request.ops:
                self.written[key] = [commit is not None, commit, size, self.jsn]
            beside = attestation if index == 0 else b""
            ops = cbor(list(request.ops)) if request.ops else b""
            self.entries.append([encoded, beside, 2, request.salt, request.body, ops])
        return self

    def add(self, owner: Signer, key: Signer | bytes, role: int = 3) -> "Forge":
        spki = key.spki if isinstance(key, Signer) else key
        return self.submit([owner], [self.request(kind=16, ext=[1, role, spki])])

    def revoke(self, owner: Signer, kid: bytes) -> "Forge":
        return self.submit([owner], [self.request(kind=17, ext=[2, kid])])

    def parameters(self, owner: Signer, first_height: int, feature: int = 1) -> "Forge":
        ext = [3, first_height, {feature: 1}]
        return self.submit([owner], [self.request(kind=18, ext=ext)])

    def clue_value(self, clue_id: bytes) -> tuple[int, bytes, int]:
        """Count, root and deletedJsn of a clue."""
        journals = self.clues[clue_id]
        hashes = [sha(b"\0", sha(b"\0", self.entries[jsn][0])) for jsn, _ in journals]
        last, kind = journals[-1]
        return len(hashes), root(hashes), last if kind == 2 else 0

    def clue_values(self) -> dict[bytes, tuple[int, bytes, int]]:
        return {clue_id: self.clue_value(clue_id) for clue_id in self.clues}

    def seal(self, leaf: Any = None, step_ms: int = 1000) -> "Forge":
        state_root = EMPTY_STATE_ROOT
        if self.state:
            self.state.block(self.height, self.written)
            state_root = self.state.root()
        self.written = {}
        fields = [2, self.jsn, self.time_ms, self.height, self.previous, self.first_jsn]
        fields += [root(self.leaf_hashes()), clue_root(self.clue_values()), state_root]
        self.entries.append([cbor(_replace(fields, leaf)), b"", 1, b"", b"", b""])
        self.previous = self.leaf_hashes()[-1]
        self.height, self.first_jsn = self.height + 1, self.jsn
        self.time_ms += step_ms
        return self

    def origin(self) -> str:
        return f"localhost/l/{self.ledger_id.hex()}/0"

    def receipt_of(self, index: int, size: int | None = None, labels: Any = None) -> Tag:
        leaf_hashes = self.leaf_hashes(size)
        profile = {
            15: {1: "localhost", 2: self.origin()},
            16: RECEIPT,
            395: 1,
            -70001: [1, self.ledger_id, 0, len(leaf_hashes)],
        }
        proof = cbor([len(leaf_hashes), index, path(index, leaf_hashes)])
        return self.receipt.sign1(
            profile | (labels or {}), root(leaf_hashes), False, {396: {-1: [proof]}}
        )

    def range_receipt(self, first: int, count: int, roots: Sequence[bytes]) -> bytes:
        items = self.receipt_of(0).content
        return cbor([8, first, count, self.jsn, roots, items[0], items[3]])

    def checkpoint(self) -> bytes:
        text = f"{self.origin()}\n{self.jsn}\n"
        text += base64.b64encode(root(self.leaf_hashes())).decode() + "\n"
        raw = self.note.spki[-32:]
        key_id = sha(self.origin().encode(), b"\n\x01", raw)[:4]
        line = base64.b64encode(key_id + self.note.sign(text.encode())).decode()
        return f"{text}\n\u2014 {self.origin()} {line}\n".encode()

    def log(
        self,
        checkpoint: bytes | None = None,
        head_receipt: bytes | None = None,
        version: int | None = None,
    ) -> bytes:
        """The saved log, version 2 if the ledger has a state."""
        version = version or (2 if self.state else 1)
        parts = [b"TALLYLOG", number(version, 4), self.ledger_id, number(0, 4)]
        parts.append(number(self.jsn, 8))
        for leaf, attestation, state, salt, body, ops in self.entries:
            parts += [prefixed(leaf), prefixed(attestation)]
            parts += [prefixed(ops)] if version == 2 else []
            parts.append(number(state, 1))
            if state == 2:
                parts += [salt, prefixed(body)]
        note = self.checkpoint() if checkpoint is None else checkpoint
        if head_receipt is None:
            head_receipt = cbor(self.receipt_of(self.jsn - 1))
        return b"".join(parts) + prefixed(note) + prefixed(head_receipt)


def opening(salt: bytes, index: int) -> bytes:
    """What opens the commitment to the value of an operation."""
    return hmac.digest(salt, b"value" + number(index, 4), hashlib.sha256)


def _operation(salt: bytes, index: int, key: bytes, value: bytes | None, condition: Any) -> list:
    if value is None:
        return [7, 2, key, None, 0, condition]
    commit = sha(b"tallystick/value/1\0", opening(salt, index), value)
    return [7, 1, key, commit, len(value), condition]


def _replace(fields: Sequence[Any], overrides: dict[int, Any] | None) -> list[Any]:
    return [(overrides or {}).get(at, field) for at, field in enumerate(fields)]
