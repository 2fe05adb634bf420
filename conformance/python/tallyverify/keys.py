"""Public keys and exactly the signatures that are accepted: docs/formats/key.md.

The equations are computed by the library `cryptography`. Its Ed25519 is that of OpenSSL, which
compares the encoding of S·B − h·A with R byte for byte, without the cofactor, so rule 4 of the page
holds by it. What it leaves open, S, R and the keys, is checked here. tests prove both.
"""

import functools
import hashlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from .rejected import Malformed, Rejected

ED25519 = -8
ES256 = -7
SIGNATURE_BYTES = 64

_ED25519_PREFIX = bytes.fromhex("302a300506032b6570032100")
_P256_PREFIX = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_SMALL_ORDER_Y = {
    int.from_bytes(bytes.fromhex(y), "little")
    for y in (
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    )
}

_P256_FIELD = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


@dataclass(frozen=True)
class PublicKey:
    """A key by its SPKI."""

    spki: bytes
    alg: int

    @property
    def kid(self) -> bytes:
        """SHA-256(SPKI)."""
        return hashlib.sha256(self.spki).digest()

    @property
    def raw(self) -> bytes:
        """The 32 bytes of an Ed25519 key, or X and Y of a P-256 key."""
        prefix = _ED25519_PREFIX if self.alg == ED25519 else _P256_PREFIX
        return self.spki[len(prefix) :]

    def verify(self, message: bytes, signature: bytes) -> None:
        """Refuses a signature that is not this key's over this message."""
        if len(signature) != SIGNATURE_BYTES:
            raise Malformed(f"a signature of {len(signature)} bytes")
        holds = self._ed25519 if self.alg == ED25519 else self._es256
        if not holds(message, signature):
            raise Rejected("BAD_SIGNATURE", f"not by key {self.kid.hex()} over these bytes")

    def _ed25519(self, message: bytes, signature: bytes) -> bool:
        if int.from_bytes(signature[32:], "little") >= _L:
            return False
        y = _canonical_y(signature[:32])
        if y is None or y in _SMALL_ORDER_Y:
            return False
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except InvalidSignature:
            return False
        return True

    def _es256(self, message: bytes, signature: bytes) -> bool:
        r = int.from_bytes(signature[:32], "big")
        s = int.from_bytes(signature[32:], "big")
        if not (0 < r < _P256_ORDER and 0 < s < _P256_ORDER):
            return False
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b"\x04" + self.raw)
        try:
            key.verify(encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return False
        return True


def parse(spki: bytes) -> PublicKey:
    """The key an SPKI encodes; whether it is allowed is another question."""
    if spki.startswith(_ED25519_PREFIX) and len(spki) == len(_ED25519_PREFIX) + 32:
        return PublicKey(spki, ED25519)
    if spki.startswith(_P256_PREFIX) and len(spki) == len(_P256_PREFIX) + 64:
        return PublicKey(spki, ES256)
    raise Malformed(f"an SPKI of {len(spki)} bytes that is neither Ed25519 nor P-256")


def ed25519(raw: bytes) -> PublicKey:
    """The key with these 32 bytes."""
    return parse(_ED25519_PREFIX + raw)


def allowed(key: PublicKey) -> PublicKey:
    """The key, unless nobody may register it or verify with it (KEY_NOT_ALLOWED)."""
    if key.alg == ES256:
        _check_p256(key.raw)
        return key
    y = _canonical_y(key.raw)
    if y is None:
        raise Rejected("KEY_NOT_ALLOWED", "an Ed25519 key that is no canonical point")
    if y in _SMALL_ORDER_Y:
        raise Rejected("KEY_NOT_ALLOWED", "an Ed25519 key of small order")
    return key


@functools.lru_cache(1024)
def _canonical_y(encoded: bytes) -> int | None:
    """y of a canonical encoding of a point of edwards25519, else None."""
    number = int.from_bytes(encoded, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= _P:
        return None
    x2 = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    if x2 == 0:
        return None if sign else y
    return y if pow(x2, (_P - 1) // 2, _P) == 1 else None


def _check_p256(point: bytes) -> None:
    if any(int.from_bytes(c, "big") >= _P256_FIELD for c in (point[:32], point[32:])):
        raise Rejected("KEY_NOT_ALLOWED", "a coordinate not below the field's prime")
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b"\x04" + point)
    except ValueError as e:
        raise Rejected("KEY_NOT_ALLOWED", "a point that is not on P-256") from e
