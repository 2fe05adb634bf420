"""COSE_Sign1 messages, attestations and batches: docs/formats/signature.md."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import cbor
from .keys import SIGNATURE_BYTES, PublicKey
from .rejected import Malformed, Rejected

ALG, KID, CWT_CLAIMS, TYP = 1, 4, 15, 16
PAYLOAD_HASH_ALG, PREIMAGE_TYPE, VDS, VDP = 258, 259, 395, 396
CONTEXT, HEAD_CONTEXT = -70002, -70001

REQUEST = "application/vnd.tallystick.request+cose"
SERVICE_REQUEST = "application/vnd.tallystick.service-request+cose"
BATCH = "application/vnd.tallystick.batch+cose"
GENESIS = "application/vnd.tallystick.genesis+cose"
RECEIPT = "application/vnd.tallystick.receipt+cose"
REQUEST_HEADER = "application/vnd.tallystick.request-header+cbor"

SHA_256 = -16
RFC9162_SHA256 = 1
PROTECTED_BYTES_MAX = 1024
SIGNERS_MAX, SIGNERS_OF_ALL_MAX = 16, 200
ATTESTATION_BYTES_MAX = 64 * 1024


@dataclass(frozen=True)
class Sign1:
    """A COSE_Sign1 whose form is right and of which nothing else was checked."""

    protected: bytes
    header: dict[int, Any]
    unprotected: dict[int, Any]
    payload: bytes | None
    signature: bytes

    @property
    def kid(self) -> bytes:
        """Of the key that is said to have signed."""
        return cbor.digest(self.header.get(KID), "kid")

    def signed_bytes(self, payload: bytes) -> bytes:
        """The Sig_structure."""
        return cbor.encode_array(
            [
                cbor.encode_text("Signature1"),
                cbor.encode_bytes(self.protected),
                cbor.encode_bytes(b""),
                cbor.encode_bytes(payload),
            ]
        )

    def signature_id(self, payload: bytes) -> bytes:
        """By which a replay is known."""
        return hashlib.sha256(self.signed_bytes(payload)).digest()

    def check_type(self, typ: str) -> None:
        """That this is the statement its place wants; before anything behind it."""
        if self.header.get(TYP) != typ:
            raise Rejected("WRONG_TYPE", f"typ {self.header.get(TYP)!r}, want {typ}")

    def verify(self, key: PublicKey, payload: bytes) -> None:
        """That alg is the key's, and the signature the key's."""
        if self.header[ALG] != key.alg:
            raise Rejected("WRONG_KEY", f"alg {self.header[ALG]}, the key's is {key.alg}")
        key.verify(self.signed_bytes(payload), self.signature)


def sign1(value: Any) -> Sign1:
    """The message an item is."""
    if not isinstance(value, cbor.Tag) or value.number != cbor.TAG_SIGN1:
        raise Malformed("no COSE_Sign1 with its tag")
    items = cbor.array(value.content, "a COSE_Sign1", 4)
    protected = cbor.byte_string(items[0], "protected")
    if len(protected) > PROTECTED_BYTES_MAX:
        raise Malformed(f"{len(protected)} bytes of protected header")
    payload = None if items[2] is None else cbor.byte_string(items[2], "payload")
    return Sign1(
        protected,
        cbor.mapping(cbor.decode(protected), "protected"),
        cbor.mapping(items[1], "unprotected"),
        payload,
        cbor.byte_string(items[3], "signature", SIGNATURE_BYTES),
    )


def attestation(encoded: bytes, most: int = SIGNERS_MAX) -> list[Sign1]:
    """The signatures of an Attestation, ascending by kid; none of them verified."""
    if len(encoded) > ATTESTATION_BYTES_MAX:
        raise Malformed(f"an attestation of {len(encoded)} bytes")
    items = cbor.array(cbor.decode(encoded), "the attestation", most=most)
    if not items:
        raise Malformed("an attestation without signatures")
    signatures = [sign1(item) for item in items]
    kids = [signature.kid for signature in signatures]
    if any(a >= b for a, b in zip(kids, kids[1:], strict=False)):
        raise Malformed("kids do not ascend")
    for signature in signatures:
        cbor.mapping(signature.unprotected, "unprotected", set())
    return signatures


def check_genesis(signature: Sign1, params: bytes) -> None:
    """All of the genesis profile but the signature itself."""
    signature.check_type(GENESIS)
    _check_labels(signature, {ALG, KID, TYP})
    if signature.payload != params:
        raise Rejected("BAD_SIGNATURE", "the payload is not these GenesisParams")


def check_request(
    signature: Sign1, ledger_id: bytes, strand: int, request_hash: bytes, typ: str = REQUEST
) -> None:
    """All of the profile of a request, or of the service's own, but the signature itself."""
    signature.check_type(typ)
    _check_labels(signature, {ALG, KID, TYP, PAYLOAD_HASH_ALG, PREIMAGE_TYPE, CONTEXT})
    cbor.exactly(signature.header[PAYLOAD_HASH_ALG], SHA_256, "label 258")
    cbor.exactly(signature.header[PREIMAGE_TYPE], REQUEST_HEADER, "label 259")
    _check_context(signature.header[CONTEXT], [1, ledger_id, strand])
    if signature.payload is None:
        raise Malformed("the payload of a request is not attached")
    if signature.payload != request_hash:
        raise Rejected("BAD_SIGNATURE", "the payload is not the hash of this request")


def check_batch(signature: Sign1, ledger_id: bytes, strand: int, count: int) -> None:
    """All of the batch profile but the signature itself."""
    signature.check_type(BATCH)
    _check_labels(signature, {ALG, KID, TYP, VDS, CONTEXT})
    cbor.exactly(signature.header[VDS], RFC9162_SHA256, "label 395")
    _check_context(signature.header[CONTEXT], [1, ledger_id, strand, count])
    if signature.payload is not None:
        raise Malformed("the payload of a batch is not detached")


def _check_labels(signature: Sign1, labels: set[int]) -> None:
    cbor.mapping(signature.header, "protected", labels)
    if signature.header[ALG] not in (-8, -7):
        raise Malformed(f"alg {signature.header[ALG]!r}")


def _check_context(value: Any, wanted: list[Any]) -> None:
    items = cbor.array(value, "label -70002", len(wanted))
    names: list[tuple[str, Callable[[Any, str], Any]]] = [
        ("version", cbor.uint),
        ("ledgerId", cbor.digest),
        ("strand", cbor.uint),
        ("count", cbor.uint),
    ]
    for item, want, (name, kind) in zip(items, wanted, names, strict=False):
        if kind(item, name) == want:
            continue
        if name in ("ledgerId", "strand"):
            raise Rejected("WRONG_LEDGER", f"signed for another {name}")
        raise Malformed(f"{name} {item}, want {want}")


def attest_hash(encoded: bytes) -> bytes:
    """The hash of an Attestation that its leaves hold."""
    return hashlib.sha256(encoded).digest()
