"""Saved readings and ranges of the state: docs/formats/forest.md, sections on files."""

from dataclasses import dataclass
from typing import Any

from . import cbor, head, lookups, operations, stateproof
from .forest import Entry
from .ledger import Service
from .receipt import Head
from .rejected import Malformed, Rejected
from .stateproof import Answer

STATE_FILE, SEVERAL_FILE, RANGE_FILE = 32, 34, 36
VALUE_BYTES_MAX, FILE_BYTES_MAX = 1_114_176, 16 * 1024 * 1024


@dataclass(frozen=True)
class Reading:
    """What the state held of a key as of the last seal under a head; a value if it is shown."""

    key: bytes
    head: Head
    answer: Answer
    value: bytes | None


@dataclass(frozen=True)
class Readings:
    """What the state held of several keys as of the last seal under a head; the values shown."""

    keys: list[bytes]
    head: Head
    height: int
    answers: list[Answer]
    values: list[bytes | None]


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
    _check_value(value)
    trusted = head.verify(service, strand, statement)
    key = _own_key(proof)
    answer = stateproof.verify_lookup(trusted, key, proof)
    return Reading(key, trusted, answer, _opened(answer, value))


def _check_value(value: Any) -> None:
    if value is not None and len(cbor.byte_string(value, "value")) > VALUE_BYTES_MAX:
        raise Malformed(f"a value of {len(value)} bytes")


def _opened(answer: Answer, value: bytes | None) -> bytes | None:
    """The value shown of a key, which must be the answer's."""
    if value is None:
        return None
    if answer.what != stateproof.PRESENT or answer.entry is None:
        raise Rejected("COMMITMENT_MISMATCH", f"a value of a key that is {answer.what}")
    return stateproof.verify_value(answer.entry, value)


def verify_several(service: Service, strand: int, encoded: bytes) -> Readings:
    """What a file of several keys shows; the reader compares the keys."""
    statement, proof, values = _with_values(encoded, SEVERAL_FILE, lookups.KEYS_MAX)
    trusted = head.verify(service, strand, statement)
    several = lookups.verify(trusted, lookups.own_keys(proof), proof)
    if len(values) != len(several.keys):
        raise Rejected("MISSING", f"{len(values)} values of {len(several.keys)} keys")
    shown = list(map(_opened, several.answers, values))
    return Readings(several.keys, trusted, several.height, several.answers, shown)


def _with_values(encoded: bytes, kind: int, most: int) -> tuple[bytes, bytes, list[bytes | None]]:
    """Head, proof and values of a file with a list of values."""
    if len(encoded) > FILE_BYTES_MAX:
        raise Malformed(f"a file of {len(encoded)} bytes")
    number, statement, proof, values = cbor.array(cbor.decode(encoded), "a file", 4)
    cbor.exactly(number, kind, "the file's type")
    values = cbor.array(values, "values", most=most)
    for value in values:
        _check_value(value)
    return cbor.byte_string(statement, "head"), cbor.byte_string(proof, "proof"), values


def verify_range(service: Service, strand: int, encoded: bytes) -> Range:
    """What a range file shows; the reader compares the ends."""
    statement, proof, values = _with_values(encoded, RANGE_FILE, stateproof.RESULTS_MAX)
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
