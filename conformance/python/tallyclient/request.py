"""What a client asks for, byte for byte: docs/formats/request.md, ledger.md and leaf.md."""

import hashlib
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass

from . import cbor
from .merkle import root
from .state import Operation

APPEND, MEMBER_ADD, MEMBER_REVOKE = 1, 16, 17
WINDOW_MS = 60_000
_JOURNAL = 1
_STATE_FOREST = 2


@dataclass(frozen=True)
class Request:
    """A request as it travels, but for its signatures."""

    header: bytes
    salt: bytes
    body: bytes
    ops: bytes = b""

    @property
    def hash(self) -> bytes:
        """What is signed."""
        return hashlib.sha256(self.header).digest()


@dataclass(frozen=True)
class Times:
    """The window a request is good for."""

    client_ms: int
    expires_ms: int

    @staticmethod
    def now(window_ms: int = WINDOW_MS) -> "Times":
        """From now on."""
        now = time.time_ns() // 1_000_000
        return Times(now, now + window_ms)


def append(
    ledger: bytes,
    payload: bytes,
    content_type: str = "",
    operations: Sequence[Operation] = (),
    *,
    client_seq: int = 0,
    times: Times | None = None,
    salt: bytes | None = None,
) -> Request:
    """A journal to be appended. The salt is drawn, unless a prepared one is built again."""
    times, salt = times or Times.now(), salt or secrets.token_bytes(32)
    values = [one.value for one in operations if one.value is not None]
    body = cbor.encode([payload, content_type, [], values])
    commit = hashlib.sha256(b"tallystick/body/1\0" + salt + body).digest()
    encoded = [one.encoded(salt, index) for index, one in enumerate(operations)]
    header = cbor.encode([
        1, ledger, 0, APPEND, client_seq, times.client_ms, times.expires_ms,
        commit, len(body), [], root(encoded) if encoded else None, len(encoded), {},
    ])
    return Request(header, salt, body, cbor.array(encoded) if encoded else b"")


@dataclass(frozen=True)
class Shape:
    """What shapes the trees of a state: the capacity of a partition, of a leaf, of an inner node."""

    capacity: int
    leaf_max: int
    inner_max: int


@dataclass(frozen=True)
class Founding:
    """A ledger to be founded."""

    name: str
    name_salt: bytes
    params: bytes

    @property
    def ledger(self) -> bytes:
        """The id the ledger will have."""
        return hashlib.sha256(b"tallystick/ledger/1\0" + self.params).digest()


def founding(
    name: str,
    owners: list[bytes],
    authority: str,
    service_keys: list[bytes],
    *,
    public: bool = False,
    state: Shape | None = None,
) -> Founding:
    """GenesisParams for these owners' SPKIs, at the service that described itself so."""
    features, params = {}, None
    if state:
        features = {_STATE_FOREST: 1}
        params = [state.capacity, 1, state.leaf_max, state.inner_max, 1]
    salt = secrets.token_bytes(32)
    commit = hashlib.sha256(b"tallystick/name/1\0" + salt + name.encode()).digest()
    params = cbor.encode([
        1, authority, commit, secrets.token_bytes(32),
        sorted(owners, key=lambda spki: hashlib.sha256(spki).digest()),
        service_keys, Times.now().client_ms, public, 1, WINDOW_MS, features, params,
    ])
    return Founding(name, salt, params)


def leaf(
    jsn: int, time_ms: int, request: Request, attestation: bytes, index: int = 0, count: int = 1
) -> bytes:
    """The leaf that commits this request."""
    attest_hash = hashlib.sha256(attestation).digest()
    return cbor.encode(
        [_JOURNAL, jsn, time_ms, request.header, attest_hash, index, count, 0, 0])
