"""Saved readings of the state: docs/formats/forest.md, "Proof file"."""

from dataclasses import dataclass

from . import cbor, head, operations, stateproof
from .ledger import Service
from .receipt import Head
from .rejected import Malformed, Rejected
from .stateproof import Answer

STATE_FILE = 32
VALUE_BYTES_MAX = 1_114_176


@dataclass(frozen=True)
class Reading:
    """What the state held of a key as of the last seal under a head; a value if it is shown."""

    key: bytes
    head: Head
    answer: Answer
    value: bytes | None


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


def _own_key(proof: bytes) -> bytes:
    """The key that a lookup proof is about by its own word."""
    if len(proof) > stateproof.LOOKUP_BYTES_MAX:
        raise Malformed(f"a proof of {len(proof)} bytes")
    return operations.key(cbor.array(cbor.decode(proof), "a lookup proof", 8)[3])
