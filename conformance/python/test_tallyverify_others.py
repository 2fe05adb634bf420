"""What is beside a log: heads of others, witnesses, T-Ledgers, evidence against a service.

The golden vectors, each accepted or refused for the reason it names, and consistency proofs against
their definition. The tamper lab shows whole logs.
"""

import base64
import hashlib
import json
import unittest
from typing import Any

from forge import Forge
from forge_bytes import cbor as cbor_of
from forge_bytes import consistency, root, sha
from rules import ALICE, counted
from tallyverify import cbor, head, keychain, ledger, misconduct, tledger
from tallyverify.consistency import check
from tallyverify.gossip import WitnessKey, cosigned
from tallyverify.rejected import Rejected
from tallyverify.timeline import Judge
from test_tallyverify import CommandCase
from test_tallyverify_vectors import VECTORS, service

TOPICS = {
    "consistency": 22,
    "cosignature": 20,
    "t-ledger": 30,
    "trust": 5,
    "misbehaviour": 50,
    "keychain": 48,
}
OPS = (
    "consistency",
    "cosignature",
    "headEntry",
    "entryInclusion",
    "forkEvidence",
    "misbehaviour",
    "keyChain",
)
CLAIMS = {1: "MISDATED", 2: "FALSE_ATTESTATION", 3: "FALSE_SEAL", 4: "OMITTED_JOURNAL"}


def grown(vector: dict[str, Any]) -> dict[str, Any]:
    roots = [bytes.fromhex(vector[name]) for name in ("fromRoot", "toRoot")]
    path = [bytes.fromhex(node) for node in vector["path"]]
    check(vector["from"], roots[0], vector["to"], roots[1], path)
    return {}


def witnessed(vector: dict[str, Any]) -> dict[str, Any]:
    witnesses = [WitnessKey.parse(vkey) for vkey in vector["witnesses"]]
    times = cosigned(bytes.fromhex(vector["note"]), witnesses)
    if len(times) < vector["quorum"]:
        raise Rejected("MISSING", f"{len(times)} cosignatures")
    return {"times": times}


def entry(vector: dict[str, Any]) -> dict[str, Any]:
    by, strand = service(vector), vector["strand"]
    last = None
    if "last" in vector:
        last = head.verify(by, strand, bytes.fromhex(vector["last"]))
    parsed = tledger.parse(bytes.fromhex(vector["entry"]))
    found, seal_ms = tledger.judge(by, strand, parsed, last)
    return {"root": found.root.hex(), "sealTimeMs": seal_ms, "size": found.size}


def inclusion(vector: dict[str, Any]) -> dict[str, Any]:
    _, ledger_id, file, salt, body = cbor.decode(bytes.fromhex(vector["proof"]))
    by = service(vector)
    if "tLedger" in vector or ledger_id != by.ledger_id:
        by = service(vector | {"ledger": ledger_id.hex()})
    stamped = vector["stamped"]
    audited = bytes.fromhex(stamped.split("/l/")[1][:64])
    leaf, found = tledger.shown(by, file, salt, body, audited, stamped.encode())
    return {"jsn": leaf.jsn, "size": found.size, "timeMs": leaf.time_ms}


def key_chain(vector: dict[str, Any]) -> dict[str, Any]:
    genesis = ledger.pinned(bytes.fromhex(vector["params"]), bytes.fromhex(vector["ledger"]))
    found = keychain.verify(genesis, vector["strand"], bytes.fromhex(vector["chain"]))
    terms = [
        [term.above, term.note_key.kid.hex(), term.receipt_key.kid.hex()]
        for term in found.service.from_size(1)
    ]
    return {"heads": [each.size for each in found.heads], "terms": terms}


def fork(vector: dict[str, Any]) -> dict[str, Any]:
    misconduct.confirm(service(vector), vector["strand"], bytes.fromhex(vector["file"]))
    return {"confirmed": "FORK"}


def stand_in(token: bytes, imprint: bytes) -> int:
    """Of a token that is genTime in 8 bytes and then the imprint."""
    if token[8:] != imprint:
        raise Rejected("COMMITMENT_MISMATCH", "of another head")
    return int.from_bytes(token[:8], "big")


def misbehaviour(vector: dict[str, Any], judge: Judge = stand_in) -> dict[str, Any]:
    ledger_id = bytes.fromhex(vector["ledger"])
    file = bytes.fromhex(vector["file"])
    claim = misconduct.claimed(ledger_id, vector["strand"], file, judge)
    return {"claim": CLAIMS[claim], "heads": vector.get("want", {}).get("heads")}


READERS = dict(
    zip(OPS, (grown, witnessed, entry, inclusion, fork, misbehaviour, key_chain), strict=True)
)


class Vectors(unittest.TestCase):
    def test_judges_every_vector_as_it_says(self) -> None:
        for topic, many in TOPICS.items():
            vectors = [json.loads(p.read_text()) for p in sorted((VECTORS / topic).glob("*.json"))]
            judged = [vector for vector in vectors if self.judge(topic, vector)]
            self.assertGreaterEqual(len(judged), many, topic)

    def judge(self, topic: str, vector: dict[str, Any]) -> bool:
        read = READERS.get(vector["op"])
        if read is None:
            return False
        with self.subTest(topic=topic, vector=vector["desc"]):
            if not vector["wantErr"]:
                self.assertEqual(read(vector), vector["want"])
                counted["accepted"] += 1
                return True
            with self.assertRaises(Rejected) as caught:
                read(vector)
            self.assertEqual(caught.exception.reason, vector["wantCode"], caught.exception)
            counted["refused"] += 1
        return True


class Consistency(unittest.TestCase):
    def test_agrees_with_the_definition_at_every_pair_of_sizes(self) -> None:
        hashes = [sha(b"leaf", bytes([i])) for i in range(40)]
        for size in range(1, 41):
            for first in range(1, size + 1):
                path = consistency(first, hashes[:size])
                ends = root(hashes[:first]), size, root(hashes[:size])
                check(first, *ends, path)
                for twin in (path[1:], path[:-1], [*path, bytes(32)], path[::-1]):
                    if twin != path:
                        with self.assertRaises(Rejected, msg=f"{first} to {size}"):
                            check(first, *ends, twin)
        counted["accepted"] += 1

    def test_refuses_another_older_root(self) -> None:
        hashes = [hashlib.sha256(bytes([i])).digest() for i in range(11)]
        for first in range(1, 11):
            ends = root(hashes[1 : first + 1]), 11, root(hashes)
            with self.assertRaises(Rejected) as caught:
                check(first, *ends, consistency(first, hashes))
            self.assertEqual(caught.exception.reason, "ROOT_MISMATCH")
            counted["refused"] += 1


class Command(CommandCase):
    def test_compares_heads_and_judges_evidence(self) -> None:
        ours, theirs = (Forge([ALICE]).genesis().submit([key]).seal() for key in (ALICE, ALICE))
        theirs.submit([ALICE]).seal()
        forked = Forge([ALICE]).genesis()
        forked.submit([ALICE], [forked.request(b"another")]).seal()
        self.found(theirs)
        for name, content in (
            ("earlier", ours.checkpoint()),
            ("forked", forked.checkpoint()),
            ("genesis", ours.params),
            ("one head", cbor_of([10, ours.checkpoint(), ours.checkpoint(), None])),
            ("fork", cbor_of([10, ours.checkpoint(), forked.checkpoint(), None])),
        ):
            self.write(name, content)
        places = {name: str(self.folder / name) for name in ("earlier", "forked", "genesis")}
        self.assertEqual(self.run_it("log", "log", "--compare", places["earlier"])[0], 0)
        status, words = self.run_it("log", "log", "--compare", places["forked"])
        self.assertEqual(status, 4)
        self.assertIn("FAILED at jsn 3: OTHER_HEAD_CONTRADICTED", words)
        key_id = sha(b"w\n\4", bytes(32))[:4].hex()
        encoded = base64.b64encode(b"\4" + bytes(32)).decode()
        witness = f"w+{key_id}+{encoded}"
        demanding = ("--compare", places["earlier"], "--witness", witness)
        self.assertIn("HEAD_NOT_WITNESSED", self.run_it("log", "log", *demanding)[1])
        for name, wanted in (("fork", 0), ("one head", 4)):
            status, _ = self.run_it("evidence", name, "--genesis", places["genesis"])
            self.assertEqual(status, wanted)


if __name__ == "__main__":
    unittest.main()
