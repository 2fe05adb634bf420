"""Who signs, and in which form: docs/formats/signature.md."""

import hashlib
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from . import cbor
from .merkle import root

ALG, KID, TYP, HASHED, HASHED_TYPE, VDS, CONTEXT, WIRE = 1, 4, 16, 258, 259, 395, -70002, -70003
EDDSA, SHA256, RFC9162_SHA256 = -8, -16, 1
_SIGN1 = 18
_SPKI = bytes.fromhex("302a300506032b6570032100")
_TYP = "application/vnd.tallystick.{}+cose"


@dataclass(frozen=True)
class Key:
    """An Ed25519 key that signs."""

    private: Ed25519PrivateKey

    @staticmethod
    def fresh() -> "Key":
        """One that nobody has."""
        return Key(Ed25519PrivateKey.generate())

    @property
    def spki(self) -> bytes:
        """The public half."""
        return _SPKI + self.private.public_key().public_bytes_raw()

    @property
    def kid(self) -> bytes:
        """SHA-256(SPKI)."""
        return hashlib.sha256(self.spki).digest()


@dataclass(frozen=True)
class ToSign:
    """A statement before it is signed."""

    key: Key
    protected: bytes
    payload: bytes
    detached: bool = False

    @property
    def bytes(self) -> bytes:
        """The Sig_structure of RFC 9052."""
        return cbor.encode(["Signature1", self.protected, b"", self.payload])

    def sign1(self, unprotected: dict[int, Any] | None = None) -> bytes:
        """The COSE_Sign1, tagged."""
        return cbor.tagged(_SIGN1, cbor.encode([
            self.protected,
            unprotected or {},
            None if self.detached else self.payload,
            self.key.private.sign(self.bytes),
        ]))


def request(key: Key, ledger: bytes, request_hash: bytes) -> ToSign:
    """One request."""
    return ToSign(key, _protected(key, "request", {
        HASHED: SHA256,
        HASHED_TYPE: "application/vnd.tallystick.request-header+cbor",
        CONTEXT: [1, ledger, 0],
    }), request_hash)


def batch(key: Key, ledger: bytes, request_hashes: list[bytes]) -> ToSign:
    """Several requests by one signature."""
    return ToSign(key, _protected(key, "batch", {
        VDS: RFC9162_SHA256,
        CONTEXT: [1, ledger, 0, len(request_hashes)],
    }), root(request_hashes), detached=True)


def genesis(key: Key, params: bytes) -> ToSign:
    """The founding of a ledger."""
    return ToSign(key, _protected(key, "genesis", {}), params)


def attestation(signed: list[ToSign]) -> bytes:
    """All who signed, ascending by kid."""
    return cbor.array([one.sign1() for one in sorted(signed, key=lambda one: one.key.kid)])


def _protected(key: Key, kind: str, further: dict[int, Any]) -> bytes:
    return cbor.encode({ALG: EDDSA, KID: key.kid, TYP: _TYP.format(kind), **further})
