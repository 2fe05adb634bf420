"""Who reads: docs/formats/token.md."""

import base64
import json
import re
import time

from .signing import Key

LIFETIME_SECONDS = 240
_LEDGER = re.compile(r"/(?:v1/ledgers|l)/([0-9a-f]{64})")


def read(key: Key, audience: str, expires: int, typ: str = "tallystick-read+jwt") -> str:
    """A token; `audience` is a ledger's id or a service's authority, `expires` in seconds."""
    header = {"alg": "EdDSA", "typ": typ, "kid": key.kid.hex()}
    to_sign = b".".join(_part(part) for part in (header, {"aud": audience, "exp": expires}))
    return (to_sign + b"." + _base64(key.private.sign(to_sign))).decode()


def authorization(key: Key, path: str) -> str | None:
    """The header for reading what the path names, if that is a ledger."""
    ledger = _LEDGER.match(path)
    if ledger is None:
        return None
    return "Bearer " + read(key, ledger[1], int(time.time()) + LIFETIME_SECONDS)


def _part(content: dict[str, str | int]) -> bytes:
    return _base64(json.dumps(content).encode())


def _base64(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")
