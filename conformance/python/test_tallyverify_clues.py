"""The clue trie and lineages: the pages' examples, a replay held against the definition, files."""

import base64
import random
import unittest
from typing import Any

from forge import Forge
from forge_bytes import cbor, outside, path, root, sha
from forge_clues import clue_proof, clue_root, definition
from rules import ALICE, counted
from rules_of_clues import named, told, with_clues
from tallyverify import cluetrie, head, ledger, lineage, rlp
from tallyverify.cluetrie import ClueValue, Trie
from tallyverify.clues import Clues
from tallyverify.keccak import keccak256
from tallyverify.leaf import SealLeaf, parse_leaf
from tallyverify.receipt import Head
from tallyverify.rejected import Malformed, Rejected
from test_tallyverify import CommandCase, flipped
from test_tallyverify_pages import example, text

SEED = 20261122


class Pages(unittest.TestCase):
    def test_hashes_and_proves_the_example_of_the_trie(self) -> None:
        empty = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
        self.assertEqual(keccak256(b"").hex(), empty)
        clue_id, root_ = example("clue-trie", "clue-id"), example("clue-trie", "clue-root")
        self.assertEqual(keccak256(clue_id), example("clue-trie", "key"))
        branch, leaf = example("clue-trie", "branch"), example("clue-trie", "leaf")
        value = cluetrie.prove(clue_id, root_, [branch, leaf])
        assert value
        self.assertEqual(value.encode(), example("clue-trie", "value"))
        self.assertEqual((value.count, value.deleted_jsn), (1, 0))

    def test_verifies_the_examples_of_lineage(self) -> None:
        note = text("lineage", "note").encode()
        ledger_id = bytes.fromhex(note.split(b"/")[2].decode())
        lines = note.decode().split("\n")
        trusted = Head(int(lines[1]), base64.b64decode(lines[2]))
        clue_id = example("clue-trie", "clue-id")
        seal = parse_leaf(example("lineage", "seal"))
        assert isinstance(seal, SealLeaf)
        self.assertEqual(seal.clue_root, example("clue-trie", "clue-root"))
        clue = lineage.verify_clue(trusted, clue_id, example("lineage", "clue-proof"))
        assert clue.value
        self.assertEqual(clue.value.encode(), example("clue-trie", "value"))
        unknown = sha(b"tallystick/clue/1\0", ledger_id, b"unknown")
        self.assertEqual(keccak256(unknown), example("clue-trie", "unknown-key"))
        absence = example("lineage", "absence")
        self.assertIsNone(lineage.verify_clue(trusted, unknown, absence).value)
        proof = example("lineage", "lineage-proof")
        run = lineage.verify_lineage(ledger_id, 0, trusted, clue_id, proof)
        self.assertEqual(run.whole(), (2,))


class Replay(unittest.TestCase):
    def test_has_the_root_of_the_definition_whatever_is_put_in_which_order(self) -> None:
        chance = random.Random(SEED)
        for clues in (1, 2, 3, 17, 60):
            trie, values = Trie(), {}
            for step in range(2 * clues):
                clue_id = sha(b"clue", bytes([chance.randrange(clues)]))
                values[clue_id] = (step + 1, sha(bytes([step])), chance.randrange(2) * 2**40)
                trie.put(clue_id, ClueValue(*values[clue_id]))
                if step % 7 == 0:
                    self.assertEqual(trie.root(), clue_root(values))
            self.assertEqual(trie.root(), clue_root(values))
            counted["accepted"] += 1

    def test_proves_what_the_definition_holds_and_nothing_by_a_twin(self) -> None:
        values = {sha(b"clue", bytes([i])): (i + 1, sha(bytes([i])), i) for i in range(40)}
        trie_root = clue_root(values)
        for i in range(0, 60, 3):
            clue_id = sha(b"clue", bytes([i]))
            nodes = clue_proof(values, clue_id)
            value = cluetrie.prove(clue_id, trie_root, nodes)
            self.assertEqual(value, ClueValue(*values[clue_id]) if i < 40 else None)
            counted["accepted"] += 1
            for twin in (nodes[:-1], [*nodes, nodes[-1]], [flipped(nodes[0], 40, 2), *nodes[1:]]):
                with self.assertRaises(Rejected):
                    cluetrie.prove(clue_id, trie_root, twin)
                counted["refused"] += 1

    def test_splits_leaves_and_extensions_where_keys_part(self) -> None:
        chance = random.Random(SEED)
        for rare in (0.02, 0.05, 0.2, 0.5):
            node, pairs = None, {}
            for step in range(40):
                key = tuple(2 if chance.random() < rare else 1 for _ in range(cluetrie.NIBBLES))
                value = b"%040d" % step
                node = cluetrie._put(node, key, value)
                pairs["".join(map(str, key))] = value
                self.assertEqual(cluetrie._hash(node), keccak256(definition(pairs)), (rare, step))

    def test_counts_a_journal_once_for_each_clue(self) -> None:
        clues = Clues()
        clues.add(2, bytes(32), [bytes([i]) * 32 for i in range(3)], False)
        clues.add(3, bytes(32), [bytes(32)], True)
        self.assertEqual((len(clues), clues.entries, clues.deletions), (3, 4, 1))

    def test_encodes_lengths_as_the_table_says(self) -> None:
        for size, start in ((0, "80"), (1, "8180"), (55, "b7"), (56, "b838"), (256, "b90100")):
            encoded = rlp.encode_string(b"\x80" * size)
            self.assertTrue(encoded.hex().startswith(start))
            self.assertEqual(rlp.strings(rlp.encode_list([encoded])), [b"\x80" * size])
        for wrong in ("", "80", "c18100"[:2], "c28100", "c20101ff", "c3820080ff", "c0c0", "c1c0"):
            with self.assertRaises(Malformed, msg=wrong):
                rlp.strings(bytes.fromhex(wrong))


def clue_proof_of(forge: Forge, clue: str) -> list[Any]:
    """The clue proof of the newest head."""
    hashes = forge.leaf_hashes()
    nodes = clue_proof(forge.clue_values(), forge.clue_id(clue))
    return [11, forge.entries[-1][0], path(forge.jsn - 1, hashes), nodes]


def lineage_proof_of(forge: Forge, clue: str, first: int, count: int) -> bytes:
    leaves = [forge.entries[jsn][0] for jsn, _ in forge.clues[forge.clue_id(clue)]]
    hashes = [sha(b"\0", sha(b"\0", leaf)) for leaf in leaves]
    roots = outside(hashes, first, count)
    return cbor([12, clue_proof_of(forge, clue), first, roots, leaves[first : first + count]])


def file_of(forge: Forge, clue: str, proof: bytes) -> bytes:
    return cbor([13, forge.clue_id(clue), forge.checkpoint(), proof])


class Lineages(unittest.TestCase):
    def setUp(self) -> None:
        self.forge = told()
        self.genesis = ledger.parse_genesis(self.forge.params)

    def test_accepts_every_run_of_every_clue(self) -> None:
        for clue in ("a", "b", "c", "0", "1", "2"):
            jsns = [jsn for jsn, _ in self.forge.clues[self.forge.clue_id(clue)]]
            for first in range(len(jsns)):
                for count in range(1, len(jsns) - first + 1):
                    proof = lineage_proof_of(self.forge, clue, first, count)
                    file = file_of(self.forge, clue, proof)
                    run = lineage.verify_file(self.genesis, 0, file)
                    self.assertEqual(list(run.jsns), jsns[first : first + count])
                    counted["accepted"] += 1
                    if count < len(jsns):
                        with self.assertRaises(Rejected):
                            run.whole()

    def test_answers_as_of_every_size(self) -> None:
        jsns = [jsn for jsn, _ in self.forge.clues[self.forge.clue_id("b")]]
        file = file_of(self.forge, "b", lineage_proof_of(self.forge, "b", 0, len(jsns)))
        run = lineage.verify_file(self.genesis, 0, file)
        for size in range(self.forge.jsn + 1):
            self.assertEqual(list(run.as_of(size)), [jsn for jsn in jsns if jsn < size])
        short = file_of(self.forge, "b", lineage_proof_of(self.forge, "b", 0, 2))
        part = lineage.verify_file(self.genesis, 0, short)
        self.assertEqual(list(part.as_of(jsns[1])), jsns[:1])
        for reason, size in (("MISSING", jsns[1] + 1), ("SIZE_OUT_OF_RANGE", self.forge.jsn + 1)):
            with self.assertRaises(Rejected) as caught:
                part.as_of(size)
            self.assertEqual(caught.exception.reason, reason)

    def test_verifies_receipt_statements_and_compares_heads(self) -> None:
        forge = self.forge
        protected, _, _, signature = forge.receipt_of(0).content
        tree = root(forge.leaf_hashes())
        statement = b"\xd2" + cbor([protected, {}, tree, signature])
        self.assertEqual(head.verify(self.genesis, 0, statement), Head(forge.jsn, tree))
        for at in range(len(statement)):
            with self.assertRaises(Rejected, msg=f"byte {at}"):
                head.verify(self.genesis, 0, flipped(statement, at, at % 8))
        for reason, other in (("FORK", Head(forge.jsn, bytes(32))), ("MISSING", Head(2, tree))):
            with self.assertRaises(Rejected) as caught:
                head.same(Head(forge.jsn, tree), other)
            self.assertEqual(caught.exception.reason, reason)


class LineageCommand(CommandCase):
    def setUp(self) -> None:
        super().setUp()
        self.found(told())
        self.write("b", file_of(self.forge, "b", lineage_proof_of(self.forge, "b", 0, 6)))
        self.write("page", file_of(self.forge, "b", lineage_proof_of(self.forge, "b", 1, 2)))
        self.write("none", file_of(self.forge, "x", cbor(clue_proof_of(self.forge, "x"))))
        self.write("bare", lineage_proof_of(self.forge, "b", 0, 6))
        self.write("head", self.forge.checkpoint())

    def at(self, name: str) -> str:
        return str(self.folder / name)

    def lineage(self, name: str, *more: str, clue: str = "b") -> tuple[int, str]:
        log = self.at("log")
        return self.run_it("lineage", name, "--genesis", log, "--clue", clue, *more)

    def test_shows_a_lineage_a_page_and_an_absence(self) -> None:
        status, words = self.lineage("b", "--log", self.at("log"))
        self.assertEqual(status, 0, words)
        self.assertIn("from 0 on of 6 in the log of", words)
        self.assertEqual(self.lineage("page")[0], 4)
        self.assertEqual(self.lineage("page", "--page")[0], 0)
        self.assertIn("never used", self.lineage("none", clue="x")[1])
        self.assertEqual(self.lineage("b", "--as-of-size", "6")[0], 0)
        self.assertEqual(self.lineage("b", "--as-of-size", "600")[0], 4)

    def test_refuses_another_clue_head_and_log(self) -> None:
        status, words = self.lineage("b", clue="a")
        self.assertEqual((status, words[:20]), (4, "FAILED: WRONG_CLUE: "))
        self.assertIn("MISSING", self.lineage("bare")[1])
        self.assertEqual(self.lineage("bare", "--head", self.at("head"))[0], 0)
        self.assertEqual(self.lineage("b", "--head", self.at("head"))[0], 0)
        longer = self.forge.submit([ALICE]).seal()
        self.write("newer", longer.checkpoint())
        self.assertIn("MISSING", self.lineage("b", "--head", self.at("newer"))[1])
        self.write("longer", longer.log())
        self.assertEqual(self.lineage("b", "--log", self.at("longer"))[0], 0)
        other = with_clues()
        other.submit([ALICE], [named(other, "b")]).seal()
        self.write("shorter", other.log())
        words = self.lineage("b", "--log", self.at("shorter"))[1]
        self.assertIn("TRUSTED_HEAD_CONTRADICTED", words)
        for _ in range(6):
            other.submit([ALICE]).seal()
        self.write("another", other.log())
        words = self.lineage("b", "--log", self.at("another"))[1]
        self.assertIn("TRUSTED_HEAD_CONTRADICTED", words)


if __name__ == "__main__":
    unittest.main()
