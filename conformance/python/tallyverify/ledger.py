"""What a ledger is founded on: docs/formats/ledger.md."""

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Protocol

from . import cbor, cose
from .keys import ED25519, PublicKey, allowed, parse
from .rejected import Malformed, Rejected

OWNERS_MAX = 16
STRANDS_MAX = 65536
WINDOW_MS_MAX = 2592000000
AUTHORITY_CHARACTERS_MAX = 128
CLUE_TRIE, STATE_FOREST = 1, 2
MONO, DELEGATED, PERMANENT = 3, 4, 5

_LABEL = "[a-z0-9]([a-z0-9-]*[a-z0-9])?"
_AUTHORITY = re.compile(rf"{_LABEL}(\.{_LABEL})*(:[1-9][0-9]{{0,4}})?", re.ASCII)


class Service(Protocol):
    """What verifies a service's heads: the ledger, and the keys that genesis names."""

    @property
    def ledger_id(self) -> bytes: ...

    @property
    def authority(self) -> str: ...

    @property
    def note_key(self) -> PublicKey: ...

    @property
    def receipt_key(self) -> PublicKey: ...

    def origin(self, strand: int) -> str:
        """The first line of a strand's checkpoints."""


@dataclass(frozen=True)
class StateParams:
    """What shapes the state forest: N_cap and the most records of a leaf and an inner node."""

    capacity: int
    leaf_max: int
    inner_max: int


@dataclass(frozen=True)
class Genesis:
    """GenesisParams."""

    encoded: bytes
    authority: str
    owners: tuple[PublicKey, ...]
    note_key: PublicKey
    receipt_key: PublicKey
    created_ms: int
    strand_count: int
    max_window_ms: int
    features: frozenset[int]
    state_params: StateParams | None

    @property
    def ledger_id(self) -> bytes:
        """What clients pin."""
        return id_of(self.encoded)

    def origin(self, strand: int) -> str:
        """The first line of a strand's checkpoints."""
        return f"{self.authority}/l/{self.ledger_id.hex()}/{strand}"


def parse_genesis(encoded: bytes) -> Genesis:
    """GenesisParams from their encoding, with keys that somebody may have."""
    genesis = decode_genesis(encoded)
    for key in (*genesis.owners, genesis.note_key, genesis.receipt_key):
        allowed(key)
    return genesis


def decode_genesis(encoded: bytes) -> Genesis:
    """GenesisParams from their encoding; whether its keys may be used is not looked at."""
    items = cbor.array(cbor.decode(encoded), "GenesisParams", 12)
    cbor.exactly(items[0], 1, "version")
    authority = _authority(items[1])
    cbor.digest(items[2], "nameCommit")
    cbor.byte_string(items[3], "random", 32)
    owners = tuple(_key(item) for item in cbor.array(items[4], "owners", most=OWNERS_MAX))
    kids = [owner.kid for owner in owners]
    if not owners or any(a >= b for a, b in zip(kids, kids[1:], strict=False)):
        raise Malformed("owners are none, or do not ascend by kid")
    note_key, receipt_key = (_key(item) for item in cbor.array(items[5], "service keys", 2))
    if {note_key.alg, receipt_key.alg} != {ED25519}:
        raise Malformed("a service key that is not Ed25519")
    if note_key == receipt_key or note_key in owners or receipt_key in owners:
        raise Malformed("a service key that is used for something else")
    created_ms = cbor.time(items[6], "createdMs")
    if not isinstance(items[7], bool):
        raise Malformed("public is no flag")
    strand_count = cbor.uint(items[8], "strandCount", 1, STRANDS_MAX)
    max_window_ms = cbor.uint(items[9], "maxWindowMs", 1, WINDOW_MS_MAX)
    features = _features(items[10])
    if MONO in features and len(owners) != 1:
        raise Malformed(f"a mono ledger of {len(owners)} owners")
    state_params = _state_params(items[11], STATE_FOREST in features)
    return Genesis(
        encoded,
        authority,
        owners,
        note_key,
        receipt_key,
        created_ms,
        strand_count,
        max_window_ms,
        features,
        state_params,
    )


def id_of(encoded: bytes) -> bytes:
    """The ledgerId that GenesisParams have."""
    return hashlib.sha256(b"tallystick/ledger/1\0" + encoded).digest()


def pinned(encoded: bytes, ledger_id: bytes) -> Genesis:
    """GenesisParams that are those of the pinned ledger."""
    if id_of(encoded) != ledger_id:
        raise Rejected("WRONG_LEDGER", f"these GenesisParams found {id_of(encoded).hex()}")
    return parse_genesis(encoded)


def check_owners_signed(genesis: Genesis, signatures: list[cose.Sign1]) -> None:
    """That every owner signed, and nobody else."""
    by_kid = {owner.kid: owner for owner in genesis.owners}
    for signature in signatures:
        cose.check_genesis(signature, genesis.encoded)
        if signature.kid not in by_kid:
            raise Rejected("UNKNOWN_SIGNER", f"{signature.kid.hex()} is no owner")
        signature.verify(by_kid.pop(signature.kid), genesis.encoded)
    if by_kid:
        raise Rejected("BAD_SIGNATURE", f"owner {next(iter(by_kid)).hex()} did not sign")


def _key(value: Any) -> PublicKey:
    return parse(cbor.byte_string(value, "an SPKI"))


def _authority(value: Any) -> str:
    authority = cbor.text(value, "authority")
    good = len(authority) <= AUTHORITY_CHARACTERS_MAX and _AUTHORITY.fullmatch(authority)
    if not good or int(authority.partition(":")[2] or 1) > 65535:
        raise Malformed(f"authority {authority!r}")
    return authority


def _features(value: Any) -> frozenset[int]:
    features = cbor.mapping(value, "features")
    for feature, setting in features.items():
        if feature not in (CLUE_TRIE, STATE_FOREST, MONO, DELEGATED, PERMANENT):
            raise Malformed(f"feature {feature}")
        cbor.exactly(setting, 1, "a feature's value")
    return frozenset(features)


def _state_params(value: Any, wanted: bool) -> StateParams | None:
    if not wanted:
        if value is not None:
            raise Malformed("stateParams without the state forest")
        return None
    capacity, capacity_rule, leaf_max, inner_max, split_rule = cbor.array(value, "stateParams", 5)
    cbor.exactly(capacity_rule, 1, "capacityRule")
    cbor.uint(leaf_max, "leafMax", 4, 1024)
    cbor.uint(inner_max, "innerMax", 4, 1024)
    cbor.uint(capacity, "N_cap", leaf_max, 2**40)
    cbor.exactly(split_rule, 1, "splitRule")
    return StateParams(capacity, leaf_max, inner_max)
