"""Saved readings and ranges of the state: docs/formats/forest.md, "Proof file", "Range file"."""

from dataclasses import dataclass

from . import cbor, head, operations, stateproof
from .forest import Entry
from .ledger import Service
from .receipt import Head
from .rejected import Malformed, Rejected
from .stateproof import Answer

STATE_FILE, RANGE_FILE = 32, 36
VALUE_BYTES_MAX, RANGE_FILE_BYTES_MAX = 1_114_176, 16 * 1024 * 1024


@dataclass(frozen=True)
class Reading:
    """What the state held of a key as of the last seal under a head; a value if it is shown."""

    key: bytes
    head: Head
    answer: Answer
    value: bytes | None


@dataclass(frozen=True)
class Range:
    """The keys of a range that had a value as of the last seal under a head, and the values shown."""

    start: bytes
    to: bytes | None
    head: Head
    height: int
    entries: list[Entry]
    values: list[bytes | None]


def verify(service: Service, strand: int, encoded: bytes) -> Reading:
    """What a proof file shows; the reader compares the key."""
    number, statement, proof, value = cbor.array(cbor.decode(encoded), "a proof file", 4)
    cbor.exactly(number, STATE_FILE, "the file's type")
    statement, proof = cbor.byte_string(statement, "head"), cbor.byte_string(proof, "proof")
    if value is not None and len(cbor.byte_string(value, "value")) > VALUE_BYTES_MAX:
        raise Malformed(f"a value of {len(value)} bytes")
    trusted = head.verify(service, strand, statement)
    key = _own_key(proof)
    answer = stateproof.verify_lookup(trusted, key, proof)
    if value is None:
        return Reading(key, trusted, answer, None)
    if answer.what != stateproof.PRESENT or answer.entry is None:
        raise Rejected("COMMITMENT_MISMATCH", f"a value of a key that is {answer.what}")
    return Reading(key, trusted, answer, stateproof.verify_value(answer.entry, value))


def verify_range(service: Service, strand: int, encoded: bytes) -> Range:
    """What a range file shows; the reader compares the ends."""
    if len(encoded) > RANGE_FILE_BYTES_MAX:
        raise Malformed(f"a file of {len(encoded)} bytes")
    number, statement, proof, values = cbor.array(cbor.decode(encoded), "a range file", 4)
    cbor.exactly(number, RANGE_FILE, "the file's type")
    statement, proof = cbor.byte_string(statement, "head"), cbor.byte_string(proof, "proof")
    values = cbor.array(values, "values", most=stateproof.RESULTS_MAX)
    for value in values:
        if value is not None and len(cbor.byte_string(value, "value")) > VALUE_BYTES_MAX:
            raise Malformed(f"a value of {len(value)} bytes")
    trusted = head.verify(service, strand, statement)
    start, to = stateproof.own_range(proof)
    page = stateproof.verify_range(trusted, start, to, proof)
    if len(values) != len(page.entries):
        raise Rejected("MISSING", f"{len(values)} values of {len(page.entries)} keys")
    shown = [
        None if value is None else stateproof.verify_value(entry, value)
        for entry, value in zip(page.entries, values, strict=True)
    ]
    return Range(start, to, trusted, page.height, page.entries, shown)


def _own_key(proof: bytes) -> bytes:
    """The key that a lookup proof is about by its own word."""
    if len(proof) > stateproof.LOOKUP_BYTES_MAX:
        raise Malformed(f"a proof of {len(proof)} bytes")
    return operations.key(cbor.array(cbor.decode(proof), "a lookup proof", 8)[3])
