"""The golden vectors of clue trie, lineages and state: the good accepted, all others refused.

Each is refused for the reason it names; of a replay of the state the faults are found.
"""

import hashlib
import json
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rules import counted
from tallyverify import cbor, cluetrie, forest, head, keys, lineage, lookups, merkle, operations
from tallyverify import statefile, stateproof
from tallyverify.keccak import SHA3, keccak256
from tallyverify.ledger import StateParams
from tallyverify.rejected import Rejected
from tallyverify.state import State

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "ledger-testkit" / "src" / "test" / "resources" / "vectors"
OPS = {"cluetrie": 58, "clueproof": 17, "lineage": 44, "forest": 313, "forest-replay": 42}


@dataclass(frozen=True)
class Keys:
    """What a vector tells of the service."""

    ledger_id: bytes
    authority: str
    note_key: keys.PublicKey
    receipt_key: keys.PublicKey

    def origin(self, strand: int) -> str:
        return f"{self.authority}/l/{self.ledger_id.hex()}/{strand}"


def service(vector: dict[str, Any]) -> Keys:
    note, receipt = (keys.parse(bytes.fromhex(vector[name])) for name in ("noteKey", "receiptKey"))
    return Keys(bytes.fromhex(vector["ledger"]), vector["authority"], note, receipt)


def trie(vector: dict[str, Any]) -> dict[str, Any]:
    clue_id, root = bytes.fromhex(vector["clueId"]), bytes.fromhex(vector["clueRoot"])
    return of(cluetrie.prove(clue_id, root, [bytes.fromhex(node) for node in vector["nodes"]]))


def proven(vector: dict[str, Any]) -> dict[str, Any]:
    """A clue proof or a lineage proof under the head beside it."""
    by, strand = service(vector), vector["strand"]
    trusted = head.verify(by, strand, bytes.fromhex(vector["head"]))
    clue_id, proof = bytes.fromhex(vector["clueId"]), bytes.fromhex(vector["proof"])
    if vector["op"] == "clueProof":
        return of(lineage.verify_clue(trusted, clue_id, proof).value)
    run = lineage.verify_lineage(by.ledger_id, strand, trusted, clue_id, proof)
    size = vector.get("completeAt")
    return {"first": run.first, "jsns": list(run.jsns if size is None else run.as_of(size))}


def file(vector: dict[str, Any]) -> dict[str, Any]:
    run = lineage.verify_file(service(vector), vector["strand"], bytes.fromhex(vector["file"]))
    return of(run.clue.value) | {"size": run.clue.head.size, "jsns": list(run.jsns)}


def of(value: cluetrie.ClueValue | None) -> dict[str, Any]:
    if value is None:
        return {"count": 0}
    return {"count": value.count, "deletedJsn": value.deleted_jsn, "root": value.root.hex()}


def entry(vector: dict[str, Any]) -> dict[str, Any]:
    found = forest.parse_entry(bytes.fromhex(vector["entry"]))
    assert found.encode().hex() == vector["entry"]
    said = {"key": found.key.hex(), "present": found.present, "jsn": found.jsn}
    commit = {"valueCommit": found.value_commit.hex()} if found.value_commit else {}
    return said | commit | {"valueSize": found.value_size}


def node(vector: dict[str, Any]) -> dict[str, Any]:
    separators = tuple(map(bytes.fromhex, vector["separators"]))
    encoded = forest.encode_separators(separators)
    assert forest.read_separators(cbor.decode(encoded), len(separators) + 1) == separators
    root = merkle.root_over(list(map(bytes.fromhex, vector["records"])))
    return {
        "separators": encoded.hex(),
        "keysHash": forest.keys_hash(separators).hex(),
        "nodeHash": forest.node_hash(vector["level"], separators, root).hex(),
    }


def state_root(vector: dict[str, Any]) -> dict[str, Any]:
    return {"stateRoot": forest.state_root(list(map(bytes.fromhex, vector["partitions"]))).hex()}


def state(vector: dict[str, Any]) -> dict[str, Any]:
    """A lookup or a range under the head beside it."""
    trusted = head.verify(service(vector), vector["strand"], bytes.fromhex(vector["head"]))
    proof = bytes.fromhex(vector["proof"])
    if vector["op"] == "stateLookup":
        answer = stateproof.verify_lookup(trusted, bytes.fromhex(vector["key"]), proof)
        shown = {"entry": answer.entry.encode().hex()} if answer.entry else {}
        return {"answer": answer.what} | shown
    to = bytes.fromhex(vector["to"]) if "to" in vector else None
    page = stateproof.verify_range(trusted, bytes.fromhex(vector["from"]), to, proof)
    end = {} if page.to is None else {"to": page.to.hex()}
    return {"entries": [found.encode().hex() for found in page.entries]} | end


def value(vector: dict[str, Any]) -> dict[str, Any]:
    of_entry = forest.parse_entry(bytes.fromhex(vector["entry"]))
    return {"value": stateproof.verify_value(of_entry, bytes.fromhex(vector["value"])).hex()}


def reading(vector: dict[str, Any]) -> dict[str, Any]:
    found = statefile.verify(service(vector), vector["strand"], bytes.fromhex(vector["file"]))
    entry = found.answer.entry
    said = {"answer": found.answer.what, "key": found.key.hex(), "height": found.answer.height}
    said |= {"size": found.head.size} | ({"entry": entry.encode().hex()} if entry else {})
    return said | ({} if found.value is None else {"value": found.value.hex()})


def several(vector: dict[str, Any]) -> dict[str, Any]:
    trusted = head.verify(service(vector), vector["strand"], bytes.fromhex(vector["head"]))
    wanted = list(map(bytes.fromhex, vector["keys"]))
    return answers(lookups.verify(trusted, wanted, bytes.fromhex(vector["proof"])).answers)


def answers(found: list[stateproof.Answer]) -> dict[str, Any]:
    entries = [one.entry.encode().hex() if one.entry else "-" for one in found]
    return {"answers": [one.what for one in found], "entries": entries}


def several_of_file(vector: dict[str, Any]) -> dict[str, Any]:
    found = statefile.verify_several(
        service(vector), vector["strand"], bytes.fromhex(vector["file"])
    )
    return answers(found.answers) | {
        "keys": [key.hex() for key in found.keys],
        "height": found.height,
        "size": found.head.size,
        "values": ["-" if value is None else value.hex() for value in found.values],
    }


def ranged(vector: dict[str, Any]) -> dict[str, Any]:
    found = statefile.verify_range(service(vector), vector["strand"], bytes.fromhex(vector["file"]))
    end = {} if found.to is None else {"to": found.to.hex()}
    return end | {
        "from": found.start.hex(),
        "height": found.height,
        "size": found.head.size,
        "entries": [entry.encode().hex() for entry in found.entries],
        "values": ["-" if value is None else value.hex() for value in found.values],
    }


def replay(vector: dict[str, Any]) -> dict[str, Any]:
    replayed = State(StateParams(*vector["params"]))
    roots, wrong, failed = [], [], []
    for block in vector["blocks"]:
        journals = [
            (journal["jsn"], operations.parse(bytes.fromhex(journal["ops"])))
            for journal in block["journals"]
        ]
        failed += map(list, replayed.apply(block["height"], journals))
        roots.append(replayed.root().hex())
        if roots[-1] != block["stateRoot"]:
            wrong.append(block["height"])
    return {"roots": roots, "wrong": wrong, "failed": failed}


READERS = {
    "trie": trie,
    "clueProof": proven,
    "lineage": proven,
    "lineageFile": file,
    "stateEntry": entry,
    "stateNode": node,
    "stateRoot": state_root,
    "stateLookup": state,
    "stateRange": state,
    "stateValue": value,
    "stateFile": reading,
    "stateLookups": several,
    "lookupFile": several_of_file,
    "rangeFile": ranged,
    "stateReplay": replay,
}


class Vectors(unittest.TestCase):
    def test_judges_every_vector_as_it_says(self) -> None:
        for topic, many in OPS.items():
            files = sorted((VECTORS / topic).rglob("*.json"))
            self.assertGreaterEqual(len(files), many)
            for path in files:
                with self.subTest(f"{topic}/{path.stem}"):
                    self.judge(json.loads(path.read_text("utf-8")))

    def judge(self, vector: dict[str, Any]) -> None:
        read = READERS[vector["op"]]
        if not vector["wantErr"]:
            self.assertEqual(read(vector), vector["want"])
            found = vector["want"]
            attack = found.get("wrong") or found.get("failed")
            counted["refused" if attack else "accepted"] += 1
            return
        with self.assertRaises(Rejected) as caught:
            read(vector)
        self.assertEqual(caught.exception.reason, vector["wantCode"], caught.exception)
        counted["refused"] += 1


class Keccak(unittest.TestCase):
    def test_is_sha3_but_for_the_padding(self) -> None:
        for size in range(3 * 136 + 2):
            data = bytes(at * 7 % 256 for at in range(size))
            self.assertEqual(keccak256(data, SHA3), hashlib.sha3_256(data).digest())
            self.assertNotEqual(keccak256(data), keccak256(data, SHA3))


if __name__ == "__main__":
    unittest.main()
