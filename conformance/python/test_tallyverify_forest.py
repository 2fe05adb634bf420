"""The state forest: the page's examples, every twin of them, and operations read strictly."""

import base64
import hashlib
import hmac
import unittest

from rules import counted
from tallyverify import cbor, forest, lookups, merkle, operations, stateproof
from tallyverify.forest import Entry
from tallyverify.leaf import SealLeaf, parse_leaf
from tallyverify.ledger import StateParams
from tallyverify.operations import Operation
from tallyverify.receipt import Head
from tallyverify.rejected import Malformed, Rejected
from tallyverify.state import State
from test_tallyverify import flipped
from test_tallyverify_pages import example, text

DEFAULTS = StateParams(2**21, 40, 32)
KEYS = ("apple", "peach", "pear")


def trusted() -> Head:
    lines = text("forest", "note").split("\n")
    return Head(int(lines[1]), base64.b64decode(lines[2]))


def entries() -> list[Entry]:
    return [forest.parse_entry(example("forest", f"entry-{key}")) for key in KEYS]


class Pages(unittest.TestCase):
    def test_hashes_the_example_from_its_entries_up(self) -> None:
        self.assertEqual([entry.key.decode() for entry in entries()], list(KEYS))
        self.assertEqual([entry.present for entry in entries()], [True, False, True])
        separators = tuple(
            forest.shortest(a.encode(), b.encode()) for a, b in zip(KEYS, KEYS[1:], strict=False)
        )
        self.assertEqual(separators, (b"p", b"pear"))
        encoded = forest.encode_separators(separators)
        self.assertEqual(encoded, example("forest", "separators"))
        self.assertEqual(forest.keys_hash(separators), example("forest", "keys-hash"))
        root = merkle.root_over([entry.encode() for entry in entries()])
        self.assertEqual(root, example("forest", "records-root"))
        node = forest.node_hash(0, separators, root)
        self.assertEqual(node, example("forest", "node-hash"))
        partition = forest.Partition(0, 1, None, 3, node)
        self.assertEqual(partition.encode(), example("forest", "partition"))
        state_root = forest.state_root([partition.encode()])
        self.assertEqual(state_root, example("forest", "state-root"))
        seal = parse_leaf(example("forest", "seal"))
        assert isinstance(seal, SealLeaf)
        self.assertEqual(seal.state_root, state_root)

    def test_replays_the_example(self) -> None:
        by_key = {entry.key: entry for entry in entries()}
        written = [by_key[key] for key in (b"pear", b"apple", b"peach")]
        journal = [Operation(e.key, e.value_commit, e.value_size, ()) for e in written]
        state = State(DEFAULTS)
        self.assertEqual(state.apply(1, [(2, journal)]), [])
        self.assertEqual(state.root(), example("forest", "state-root"))
        self.assertEqual(state.apply(2, []), [])
        self.assertEqual(state.root(), example("forest", "state-root"))

    def test_verifies_the_proofs_and_no_twin_of_them(self) -> None:
        apple, _, pear = entries()
        lookup, absence = example("forest", "lookup-proof"), example("forest", "absence")
        answer = stateproof.verify_lookup(trusted(), b"pear", lookup)
        self.assertEqual((answer.what, answer.entry), ("present", pear))
        never = stateproof.verify_lookup(trusted(), b"plum", absence)
        self.assertEqual((never.what, never.entry), ("neverWritten", None))
        ranged = example("forest", "range-proof")
        page = stateproof.verify_range(trusted(), b"", b"b", ranged)
        self.assertEqual((page.entries, page.to), ([apple], b"b"))
        value = example("forest", "value")
        self.assertEqual(stateproof.verify_value(pear, value), b"green")
        counted["accepted"] += 4
        self.every_twin(lookup, lambda twin: stateproof.verify_lookup(trusted(), b"pear", twin))
        self.every_twin(absence, lambda twin: stateproof.verify_lookup(trusted(), b"plum", twin))
        keys, several = [b"apple", b"plum"], example("forest", "several-proof")
        both = lookups.verify(trusted(), keys, several).answers
        self.assertEqual([one.what for one in both], ["present", "neverWritten"])
        self.assertEqual(both[0].entry, apple)
        counted["accepted"] += 1
        self.every_twin(several, lambda twin: lookups.verify(trusted(), keys, twin))
        self.every_twin(ranged, lambda twin: stateproof.verify_range(trusted(), b"", b"b", twin))
        self.every_twin(value, lambda twin: stateproof.verify_value(pear, twin))

    def every_twin(self, right: bytes, verify) -> None:
        twins = [flipped(right, at, at % 8) for at in range(len(right))]
        for at, twin in enumerate([*twins, right[:-1], right + b"\0", b""]):
            with self.assertRaises(Rejected, msg=f"twin {at}"):
                verify(twin)
            counted["refused"] += 1

    def test_opens_the_value_of_the_request(self) -> None:
        salt = example("request", "salt")
        opening = hmac.digest(salt, b"value" + bytes(4), hashlib.sha256)
        (put,) = operations.parse(cbor.encode_array([example("request", "operation")]))
        self.assertEqual((put.key, put.precondition), (b"key", (operations.IF_ABSENT,)))
        self.assertEqual(put.value_commit, example("request", "value-commit"))
        root = merkle.root_over([example("request", "operation")])
        self.assertEqual(root, example("request", "ops-root"))
        entry = Entry(put.key, put.value_commit, put.value_size, 2)
        shown = cbor.encode_array([cbor.encode_bytes(opening), cbor.encode_bytes(b"value")])
        self.assertEqual(stateproof.verify_value(entry, shown), b"value")


class Operations(unittest.TestCase):
    def test_reads_no_other_encoding(self) -> None:
        commit = "5820" + "cc" * 32
        for right in ("86070241 61 f600 f6", "86070141 61" + commit + "05 8203" + commit):
            self.assertEqual(len(operations.parse(bytes.fromhex("81" + right))), 1)
        self.assertEqual(operations.parse(b""), [])
        for wrong in (
            "80",
            "81 86070240 f600 f6",  # no key
            "81 860702590101" + "61" * 257 + "f600 f6",
            "81 86080241 61 f600 f6",
            "81 86070341 61 f600 f6",
            "81 86070141 61 f600 f6",  # a put without a commitment
            "81 86070241 61" + commit + "00 f6",
            "81 86070241 61 f601 f6",
            "81 86070241 61 f600 80",
            "81 86070241 61 f600 820100",
            "81 86070241 61 f600 8102",
            "81 86070241 61 f600 820200 00",
            "81 86070241 61 f600 820300",
            "81 86070241 61 f600 8204" + commit,
            "82 86070241 61 f600 f6 86070241 61 f600 f6",  # a key twice
        ):
            with self.assertRaises(Malformed, msg=wrong):
                operations.parse(bytes.fromhex(wrong))
            counted["refused"] += 1


if __name__ == "__main__":
    unittest.main()
