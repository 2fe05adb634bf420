"""Operations on a ledger's state: docs/formats/request.md, "Operations"."""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Any

from . import cbor
from .rest import b64

IF_ABSENT = [1]
_OPERATION, _PUT, _DELETE = 7, 1, 2
_IF_VERSION, _IF_COMMIT = 2, 3


def if_version(jsn: int) -> list[Any]:
    """The key has a value that this journal wrote."""
    return [_IF_VERSION, jsn]


def if_commit(value_commit: bytes) -> list[Any]:
    """The key has the value with this commitment."""
    return [_IF_COMMIT, value_commit]


@dataclass(frozen=True)
class Operation:
    """Puts a value under a key, or deletes the key if there is none."""

    key: bytes
    value: bytes | None = None
    precondition: list[Any] | None = None

    def encoded(self, salt: bytes, index: int) -> bytes:
        """The operation of this index in a request with this salt."""
        if self.value is None:
            return cbor.encode([_OPERATION, _DELETE, self.key, None, 0, self.precondition])
        commit = value_commit(salt, index, self.value)
        size = len(self.value)
        return cbor.encode([_OPERATION, _PUT, self.key, commit, size, self.precondition])

    def drafted(self) -> dict[str, Any]:
        """As JSON, for a service that is to encode it."""
        draft: dict[str, Any] = {"op": "delete", "key": b64(self.key)}
        if self.value is not None:
            draft |= {"op": "put", "value": b64(self.value)}
        if self.precondition == IF_ABSENT:
            draft["ifAbsent"] = True
        elif self.precondition:
            kind, wanted = self.precondition
            name = "ifVersion" if kind == _IF_VERSION else "ifCommit"
            draft[name] = wanted if kind == _IF_VERSION else wanted.hex()
        return draft


def value_commit(salt: bytes, index: int, value: bytes) -> bytes:
    """What hides the value of the operation of this index, and binds it."""
    opening = hmac.digest(salt, b"value" + index.to_bytes(4, "big"), hashlib.sha256)
    return hashlib.sha256(b"tallystick/value/1\0" + opening + value).digest()
