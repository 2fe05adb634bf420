"""A ledger, founded, appended to and checked."""

import time
from dataclasses import dataclass
from typing import Any

from tallyverify import cbor as strict
from tallyverify import receipt as receipts
from tallyverify.ledger import Genesis, pinned

from . import request, signing
from .request import Request, Times
from .rest import Rest, b64, un64
from .signing import Key

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
    def found(rest: Rest, name: str, key: Key) -> "Client":
        """A new ledger that the key owns."""
        service = rest.get_json("/v1/service")
        founding = request.founding(
            name, [key.spki], service["authority"],
            un64(service["noteKey"]), un64(service["receiptKey"]))
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

    def append(self, payload: bytes, content_type: str = "") -> Receipt:
        """One journal."""
        asked = request.append(self.ledger, payload, content_type)
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

    def append_cose(self, payload: bytes, content_type: str = "") -> Receipt:
        """One journal, as one COSE message each way."""
        asked = request.append(self.ledger, payload, content_type)
        to_sign = signing.request(self.key, self.ledger, asked.hash)
        wire = {signing.WIRE: [asked.header, asked.salt, asked.body]}
        location, encoded = self.rest.post_cose(self.path("journals"), to_sign.sign1(wire))
        jsn = int(location.rsplit("/", 1)[1])
        told = self.rest.get_json(self.path(f"journals/{jsn}"))
        leaf = request.leaf(jsn, told["timeMs"], asked, signing.attestation([to_sign]))
        _same(un64(told["leaf"]), leaf, "the leaf")
        return checked(self.genesis, jsn, leaf, encoded)

    def batch(self, payloads: list[bytes], content_type: str = "") -> list[Receipt]:
        """Several journals under one signature, all or none, with the receipt of each."""
        asked = [request.append(self.ledger, payload, content_type) for payload in payloads]
        to_sign = signing.batch(self.key, self.ledger, [one.hash for one in asked])
        return self.send_batch(asked, signing.attestation([to_sign]))

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

    def prepared(self, payload: bytes, content_type: str = "") -> tuple[Request, bytes]:
        """A request that the service built and its attestation, once it was found to be the one wanted."""
        wanted = {
            "payload": b64(payload), "contentType": content_type, "signers": [self.key.kid.hex()]}
        told = self.rest.post_json(self.path("journals:prepare"), wanted)
        asked = self.check_prepared(told, payload, content_type)
        return asked, self.signed(asked)

    def check_prepared(self, told: dict[str, Any], payload: bytes, content_type: str) -> Request:
        """Builds the request again from the salt and the times in the answer, and compares all bytes."""
        times = Times(told["clientTimeMs"], told["expiresMs"])
        if abs(times.client_ms - time.time_ns() // 1_000_000) > CLOCK_MS_MAX:
            raise Untrue(f"a request of {times.client_ms}, which is not now")
        _same(times.expires_ms - times.client_ms, request.WINDOW_MS, "the window")
        salt = un64(told["salt"])
        if len(salt) != 32 or not any(salt):
            raise Untrue("a salt that hides nothing")
        mine = request.append(self.ledger, payload, content_type, times=times, salt=salt)
        _same(un64(told["body"]), mine.body, "the body")
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
    return {"header": b64(asked.header), "salt": b64(asked.salt), "body": b64(asked.body)}


def _same(told: Any, mine: Any, what: str) -> None:
    if told != mine:
        raise Untrue(f"{what} is another")
