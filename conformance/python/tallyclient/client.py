"""A ledger, founded, appended to and checked."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tallyverify import cbor as strict
from tallyverify import receipt as receipts
from tallyverify import stateproof
from tallyverify.forest import Entry
from tallyverify.ledger import Genesis, pinned

from . import cbor, request, signing
from .request import Request, Shape, Times
from .rest import Rest, b64, un64
from .signing import Key
from .state import Operation

CLOCK_MS_MAX = 30_000


class Untrue(Exception):
    """The service said something else than it must have."""


@dataclass(frozen=True)
class Receipt:
    """A journal, and what proves to a stranger that it is in the log."""

    jsn: int
    leaf: bytes
    encoded: bytes
    tree_size: int


@dataclass(frozen=True)
class Reading:
    """What a key held when a block was sealed; `jsn` wrote or deleted it, if anything did."""

    what: str
    jsn: int | None
    value: bytes | None
    height: int
    head: receipts.Head


def checked(genesis: Genesis, jsn: int, leaf: bytes, encoded: bytes) -> Receipt:
    """The receipt, once it was verified: nothing is asked for that."""
    head = receipts.verify(genesis, 0, leaf, strict.decode(encoded))
    return Receipt(jsn, leaf, encoded, head.size)


@dataclass(frozen=True)
class Client:
    """A ledger whose id is pinned, and a member who signs."""

    rest: Rest
    key: Key
    genesis: Genesis

    @staticmethod
    def found(
        rest: Rest, name: str, key: Key, *, public: bool = False, state: Shape | None = None
    ) -> "Client":
        """A new ledger that the key owns, with a state if it has a shape."""
        service = rest.get_json("/v1/service")
        service_keys = [un64(service["noteKey"]), un64(service["receiptKey"])]
        founding = request.founding(
            name, [key.spki], service["authority"], service_keys, public=public, state=state)
        signed = signing.attestation([signing.genesis(key, founding.params)])
        answer = rest.post_json("/v1/ledgers", {
            "name": name,
            "nameSalt": b64(founding.name_salt),
            "genesisParams": b64(founding.params),
            "attestation": b64(signed),
        })
        _same(answer["ledgerId"], founding.ledger.hex(), "the ledger's id")
        _same(un64(answer["genesisParams"]), founding.params, "GenesisParams")
        genesis = pinned(founding.params, founding.ledger)
        checked(genesis, 0, un64(answer["genesisLeaf"]), un64(answer["genesisReceipt"]))
        return Client(rest, key, genesis)

    @property
    def ledger(self) -> bytes:
        """Its id."""
        return self.genesis.ledger_id

    def path(self, rest_of_it: str) -> str:
        """Below the ledger."""
        return f"/v1/ledgers/{self.ledger.hex()}/{rest_of_it}"

    def append(
        self, payload: bytes, content_type: str = "", operations: Sequence[Operation] = ()
    ) -> Receipt:
        """One journal."""
        asked = request.append(self.ledger, payload, content_type, operations)
        return self.send(asked, self.signed(asked))

    def signed(self, asked: Request) -> bytes:
        """The attestation of one request."""
        return signing.attestation([signing.request(self.key, self.ledger, asked.hash)])

    def send(self, asked: Request, attestation: bytes) -> Receipt:
        """Appends what is signed already; again, if an answer was lost."""
        answer = self.rest.post_json(
            self.path("journals"), {**_fields(asked), "attestation": b64(attestation)})
        leaf = request.leaf(answer["jsn"], answer["timeMs"], asked, attestation)
        _same(un64(answer["leaf"]), leaf, "the leaf")
        return checked(self.genesis, answer["jsn"], leaf, un64(answer["receipt"]))

    def append_cose(
        self, payload: bytes, content_type: str = "", operations: Sequence[Operation] = ()
    ) -> Receipt:
        """One journal, as one COSE message each way."""
        asked = request.append(self.ledger, payload, content_type, operations)
        to_sign = signing.request(self.key, self.ledger, asked.hash)
        parts = [asked.header, asked.salt, asked.body, *([asked.ops] if asked.ops else [])]
        wire = {signing.WIRE: parts}
        location, encoded = self.rest.post_cose(self.path("journals"), to_sign.sign1(wire))
        jsn = int(location.rsplit("/", 1)[1])
        told = self.rest.get_json(self.path(f"journals/{jsn}"))
        leaf = request.leaf(jsn, told["timeMs"], asked, signing.attestation([to_sign]))
        _same(un64(told["leaf"]), leaf, "the leaf")
        return checked(self.genesis, jsn, leaf, encoded)

    def batch(self, payloads: list[bytes], content_type: str = "") -> list[Receipt]:
        """Several journals under one signature, all or none, with the receipt of each."""
        asked = [request.append(self.ledger, payload, content_type) for payload in payloads]
        return self.send_batch(asked, self.signed_batch(asked))

    def signed_batch(self, asked: list[Request]) -> bytes:
        """The attestation of a batch."""
        to_sign = signing.batch(self.key, self.ledger, [one.hash for one in asked])
        return signing.attestation([to_sign])

    def send_batch(self, asked: list[Request], attestation: bytes) -> list[Receipt]:
        """Appends a batch that is signed already."""
        answer = self.rest.post_json(self.path("journals:batch"), {
            "requests": [_fields(one) for one in asked],
            "attestation": b64(attestation),
        })
        first, count = answer["firstJsn"], len(asked)
        leaves = [
            request.leaf(first + i, answer["timeMs"], one, attestation, i, count)
            for i, one in enumerate(asked)
        ]
        head, split = receipts.verify_range(
            self.genesis, 0, un64(answer["rangeReceipt"]), leaves)
        return [
            Receipt(first + i, leaf, encoded, head.size)
            for i, (leaf, encoded) in enumerate(zip(leaves, split, strict=True))
        ]

    def receipt(self, jsn: int) -> Receipt:
        """The receipt of any journal, asked for later."""
        told = self.rest.get_json(self.path(f"journals/{jsn}/receipt"))
        return checked(self.genesis, jsn, un64(told["leaf"]), un64(told["receipt"]))

    def read(self, key: bytes, as_of: int | None = None, since: int = 0) -> Reading:
        """What the state holds of a key, proven; with `since`, after the log had so many leaves."""
        query = "keys=hex" if as_of is None else f"keys=hex&asOf={as_of}"
        told = self.rest.get_json(self.path(f"state/{key.hex()}?{query}"))
        return self.check_reading(told, key, as_of, since)

    def check_reading(
        self, told: dict[str, Any], key: bytes, as_of: int | None = None, since: int = 0
    ) -> Reading:
        """Verifies the answer about a key; whatever it says beside its proof must be so, too."""
        head = self._head(told["head"], since)
        found = stateproof.verify_lookup(head, key, un64(told["proof"]))
        if as_of not in (None, found.height):
            raise Untrue(f"the state of block {found.height}")
        _same(un64(told["key"]), key, "the key")
        _same(told["head"]["height"], found.height, "the block's height")
        absent = found.what in (stateproof.ABSENT, stateproof.NEVER_WRITTEN)
        _same(told["state"], stateproof.ABSENT if absent else found.what, "the answer")
        if absent:
            _same(told["neverWritten"], found.what == stateproof.NEVER_WRITTEN, "the absence")
            return Reading(found.what, None, None, found.height, head)
        assert found.entry
        jsn, value = found.entry.jsn, None
        if found.what == stateproof.DELETED:
            _same(told["deletedJsn"], jsn, "the deletion")
        else:
            value = _value(told["entry"], found.entry)
        return Reading(found.what, jsn, value, found.height, head)

    def keys(self, since: int = 0) -> list[tuple[bytes, bytes]]:
        """All keys that have a value, in order, with their values: every page is proven."""
        found: list[tuple[bytes, bytes]] = []
        start, query = b"", "keys=hex&limit=40"
        while True:
            told = self.rest.get_json(self.path(f"state?{query}"))
            head = self._head(told["head"], since)
            page = stateproof.verify_range(head, start, None, un64(told["proof"]))
            for entry, shown in zip(page.entries, told["entries"], strict=True):
                _same(un64(shown["key"]), entry.key, "a key")
                found.append((entry.key, _value(shown, entry)))
            if page.to is None:
                return found
            start, query = page.to, f"keys=hex&limit=40&cursor={told['cursor']}"

    def _head(self, block: dict[str, Any], since: int) -> receipts.Head:
        """The head of a block, by its receipt."""
        seal, receipt = un64(block["sealLeaf"]), un64(block["headReceipt"])
        head = receipts.verify(self.genesis, 0, seal, strict.decode(receipt))
        if head.size < since:
            raise Untrue(f"a head of {head.size} leaves, {since} were there")
        _same([block["size"], block["root"]], [head.size, head.root.hex()], "the head")
        return head

    def prepared(
        self, payload: bytes, content_type: str = "", operations: Sequence[Operation] = ()
    ) -> tuple[Request, bytes]:
        """A request that the service built and its attestation, once it was found to be the one wanted."""
        told = self.prepare(payload, content_type, operations)
        asked = self.check_prepared(told, payload, content_type, operations)
        return asked, self.signed(asked)

    def prepare(
        self, payload: bytes, content_type: str = "", operations: Sequence[Operation] = ()
    ) -> dict[str, Any]:
        """What the service builds when it is asked to."""
        wanted = {
            "payload": b64(payload), "contentType": content_type, "signers": [self.key.kid.hex()]}
        if operations:
            wanted["operations"] = [one.drafted() for one in operations]
        return self.rest.post_json(self.path("journals:prepare"), wanted)

    def check_prepared(
        self,
        told: dict[str, Any],
        payload: bytes,
        content_type: str,
        operations: Sequence[Operation] = (),
    ) -> Request:
        """Builds the request again from the salt and the times in the answer, and compares all bytes."""
        times = Times(told["clientTimeMs"], told["expiresMs"])
        if abs(times.client_ms - time.time_ns() // 1_000_000) > CLOCK_MS_MAX:
            raise Untrue(f"a request of {times.client_ms}, which is not now")
        _same(times.expires_ms - times.client_ms, request.WINDOW_MS, "the window")
        salt = un64(told["salt"])
        if len(salt) != 32 or not any(salt):
            raise Untrue("a salt that hides nothing")
        mine = request.append(
            self.ledger, payload, content_type, operations, times=times, salt=salt)
        _same(un64(told["body"]), mine.body, "the body")
        _same(un64(told.get("ops", "")), mine.ops, "the operations")
        _same(un64(told["header"]), mine.header, "the header")
        _same(told["requestHash"], mine.hash.hex(), "the request's hash")
        to_sign = signing.request(self.key, self.ledger, mine.hash)
        (told_to_sign,) = told["toSign"]
        _same(told_to_sign["kid"], self.key.kid.hex(), "who is to sign")
        _same(told_to_sign["alg"], "Ed25519", "how to sign")
        _same(un64(told_to_sign["protectedHeader"]), to_sign.protected, "the protected header")
        _same(un64(told_to_sign["bytes"]), to_sign.bytes, "the bytes to sign")
        return mine


def _fields(asked: Request) -> dict[str, str]:
    fields = {"header": b64(asked.header), "salt": b64(asked.salt), "body": b64(asked.body)}
    return {**fields, "ops": b64(asked.ops)} if asked.ops else fields


def _value(shown: dict[str, Any], entry: Entry) -> bytes:
    """The value that is shown of an entry, which must be its."""
    proven = [entry.jsn, entry.value_commit and entry.value_commit.hex(), entry.value_size]
    _same([shown["jsn"], shown["valueCommit"], shown["valueSize"]], proven, "the entry")
    opened = cbor.encode([bytes.fromhex(shown["opening"]), un64(shown["value"])])
    return stateproof.verify_value(entry, opened)


def _same(told: Any, mine: Any, what: str) -> None:
    if told != mine:
        raise Untrue(f"{what} is another")
