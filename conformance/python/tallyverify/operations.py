"""Operations on the state and their preconditions: docs/formats/request.md, "Operations"."""

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from . import cbor, merkle
from .rejected import Malformed, Rejected
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

    def encode(self) -> bytes:
        """What opsRoot is over."""
        action, commit = DELETE, b"\xf6"
        if self.value_commit is not None:
            action, commit = PUT, cbor.encode_bytes(self.value_commit)
        items = [cbor.encode_uint(TYPE), cbor.encode_uint(action), cbor.encode_bytes(self.key)]
        items += [commit, cbor.encode_uint(self.value_size), _encode(self.precondition)]
        return cbor.encode_array(items)


def _encode(precondition: Precondition) -> bytes:
    if not precondition:
        return b"\xf6"
    encoded = (
        cbor.encode_bytes(item) if isinstance(item, bytes) else cbor.encode_uint(item)
        for item in precondition
    )
    return cbor.encode_array(encoded)


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


def root(operations: Iterable[Operation]) -> bytes:
    """The opsRoot of operations, which must be some."""
    return merkle.root_over([operation.encode() for operation in operations])


def beside(encoded: bytes, count: int, ops_root: bytes | None) -> list[Operation]:
    """The operations beside a leaf, which must be those that its header has."""
    if count and not encoded:
        raise Rejected("OPERATIONS_MISSING", f"the header has {count}")
    try:
        operations = parse(encoded)
    except Malformed as e:
        raise Rejected("OPERATIONS_MISMATCH", e.detail) from e
    if len(operations) != count:
        what = f"{len(operations)} operations, the header has {count}"
        raise Rejected("OPERATIONS_MISMATCH", what)
    if operations and root(operations) != ops_root:
        raise Rejected("OPERATIONS_MISMATCH", f"they have the root {root(operations).hex()}")
    return operations


def value_commit(salt: bytes, index: int, value: bytes) -> bytes:
    """The commitment to the value of the operation with this index."""
    opening = hmac.digest(salt, b"value" + index.to_bytes(4, "big"), hashlib.sha256)
    return hashlib.sha256(b"tallystick/value/1\0" + opening + value).digest()


def check_values(operations: Sequence[Operation], salt: bytes, values: Iterable[bytes]) -> None:
    """That each put has the value it says; there is one for each."""
    puts = [(i, op) for i, op in enumerate(operations) if op.value_commit is not None]
    for (index, op), value in zip(puts, values, strict=True):
        if len(value) != op.value_size:
            what = f"{len(value)} bytes, operation {index} says {op.value_size}"
            raise Rejected("VALUE_MISMATCH", what)
        if value_commit(salt, index, value) != op.value_commit:
            raise Rejected("VALUE_MISMATCH", f"not the value that operation {index} commits to")


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
