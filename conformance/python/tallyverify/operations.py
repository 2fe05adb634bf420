"""Operations on the state and their preconditions: docs/formats/request.md, "Operations"."""

from dataclasses import dataclass
from typing import Any

from . import cbor
from .rejected import Malformed
from .request import BODY_BYTES_MAX, OPERATIONS_MAX

TYPE, PUT, DELETE = 7, 1, 2
IF_ABSENT, IF_VERSION, IF_COMMIT = 1, 2, 3
KEY_BYTES_MAX = 256

Precondition = tuple[()] | tuple[int] | tuple[int, int] | tuple[int, bytes]


@dataclass(frozen=True)
class Operation:
    """A put, or a delete if it has no commitment."""

    key: bytes
    value_commit: bytes | None
    value_size: int
    precondition: Precondition


def parse(encoded: bytes) -> list[Operation]:
    """A journal's operations from the array of them; no bytes are no operations."""
    if not encoded:
        return []
    items = cbor.array(cbor.decode(encoded), "operations", most=OPERATIONS_MAX)
    if not items:
        raise Malformed("an array of no operations")
    operations = [_operation(item) for item in items]
    if len({operation.key for operation in operations}) < len(operations):
        raise Malformed("two operations on one key")
    return operations


def key(value: Any) -> bytes:
    """The value, which must be a key of the state."""
    found = cbor.byte_string(value, "a key")
    if not 1 <= len(found) <= KEY_BYTES_MAX:
        raise Malformed(f"a key of {len(found)} bytes")
    return found


def _operation(item: Any) -> Operation:
    number, action, name, commit, size, precondition = cbor.array(item, "an operation", 6)
    cbor.exactly(number, TYPE, "the operation's type")
    if cbor.uint(action, "action", PUT, DELETE) == PUT:
        commit = cbor.digest(commit, "valueCommit")
        size = cbor.uint(size, "valueSize", 0, BODY_BYTES_MAX)
    else:
        cbor.exactly(commit, None, "valueCommit of a delete")
        cbor.exactly(size, 0, "valueSize of a delete")
    return Operation(key(name), commit, size, _precondition(precondition))


def _precondition(item: Any) -> Precondition:
    if item is None:
        return ()
    items = cbor.array(item, "a precondition", most=2)
    code = cbor.uint(items[0] if items else None, "precondition", IF_ABSENT, IF_COMMIT)
    if len(items) != (1 if code == IF_ABSENT else 2):
        raise Malformed(f"precondition {code} of {len(items)} items")
    if code == IF_VERSION:
        return code, cbor.uint(items[1], "jsn")
    if code == IF_COMMIT:
        return code, cbor.digest(items[1], "valueCommit")
    return (code,)
