"""Whole logs, receipts and the command: what is right is accepted, every twin refused.

As a program this runs all tests of the verifier and ends with the line that conformance/run adds
up: the checks of something right, and those of a tampered twin.
"""

import contextlib
import io
import json
import random
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import effort
from forge import Forge
from forge_bytes import cbor, outside, path, root
from rules import ALICE, BOB, CAROL, allowed, batch, counted, forged, founded
from tallyverify import ledger, merkle, receipt
from tallyverify.__main__ import main
from tallyverify.audit import Report, audit
from tallyverify.rejected import Fault, Rejected

SEED = 20261121
FLIPS = effort.of(300, 3000)


def accept(log: bytes) -> Report:
    """Audits a log that is right, by the id it says it has."""
    report = audit(io.BytesIO(log), log[12:44])
    counted["accepted"] += 1
    return report


def refuse(log: bytes, ledger_id: bytes | None = None) -> Fault:
    """Audits a log that is wrong; whatever but a fault comes out is a failure."""
    try:
        audit(io.BytesIO(log), log[12:44] if ledger_id is None else ledger_id)
    except Fault as fault:
        counted["refused"] += 1
        return fault
    raise AssertionError("a log that is wrong was accepted")


def story() -> Forge:
    """A small log with both kinds of keys, members come and gone, singles and batches."""
    forge = founded().add(ALICE, CAROL).seal().submit([CAROL]).submit([ALICE, BOB]).seal()
    forge.submit([BOB, CAROL], batch(forge)).revoke(BOB, CAROL.kid).seal()
    return forge.submit([BOB], batch(forge, 2)).seal()


def flipped(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


class Logs(unittest.TestCase):
    def test_accepts_every_log_that_keeps_the_rules(self) -> None:
        for name, build in allowed().items():
            with self.subTest(name):
                accept(build())

    def test_names_the_first_fault_of_every_log_that_breaks_one(self) -> None:
        for name, (build, jsn, kind) in forged().items():
            with self.subTest(name):
                fault = refuse(build())
                self.assertEqual((fault.jsn, fault.kind), (jsn, kind), fault)

    def test_counts_what_it_checked(self) -> None:
        report = accept(story().log())
        self.assertEqual(report.size, 15)
        self.assertEqual(list(report.counts.values())[:7], [15, 5, 9, 2, 8, 9, 2])
        self.assertTrue(report.checkpoint_verified)

    def test_refuses_flipped_bits_everywhere(self) -> None:
        log = story().log()
        ledger_id = log[12:44]
        chance = random.Random(SEED)
        for _ in range(FLIPS):
            at, bit = chance.randrange(len(log)), chance.randrange(8)
            with self.subTest(at=at, bit=bit):
                refuse(flipped(log, at, bit), ledger_id)

    def test_refuses_a_log_cut_off_anywhere(self) -> None:
        log = story().log()
        for size in range(0, len(log), 29):
            fault = refuse(log[:size], log[12:44])
            self.assertIn(fault.kind, ("LOG_TRUNCATED", "UNSEALED_END", "HEAD_MISSING"))

    def test_refuses_entries_dropped_doubled_and_moved(self) -> None:
        size = story().jsn
        for at in range(size):
            for change in ("drop", "double", "swap"):
                forge = story()
                checkpoint, head = forge.checkpoint(), cbor(forge.receipt_of(size - 1))
                entry = forge.entries.pop(at)
                if change == "double":
                    forge.entries[at:at] = [entry, entry]
                elif change == "swap":
                    forge.entries.insert(at + 1 if at + 1 < size else 0, entry)
                with self.subTest(change=change, at=at):
                    fault = refuse(forge.log(checkpoint, head))
                    self.assertLessEqual(fault.jsn, at + 1)

    def test_refuses_a_fresh_end_and_a_log_of_another_ledger(self) -> None:
        forge = story()
        checkpoint, head = forge.checkpoint(), cbor(forge.receipt_of(forge.jsn - 1))
        longer = forge.submit([ALICE]).seal()
        self.assertEqual(refuse(longer.log(checkpoint, head)).kind, "HEAD_INVALID")
        other = Forge([ALICE, BOB], {3: bytes(32)}).genesis().log()
        self.assertEqual(refuse(other, forge.ledger_id).kind, "WRONG_LEDGER")

    def test_follows_large_batches(self) -> None:
        forge = founded()
        forge.submit([ALICE], batch(forge, 1000)).seal().submit([BOB], batch(forge, 999)).seal()
        self.assertEqual(accept(forge.log()).counts["bodies"], 1999)


class Receipts(unittest.TestCase):
    def setUp(self) -> None:
        self.forge = story()
        self.genesis = ledger.parse_genesis(self.forge.params)

    def verify(self, file: bytes) -> receipt.Head:
        return receipt.verify(self.genesis, 0, *receipt.read_file(file))

    def refuse(self, file: bytes, reason: str | None = None) -> None:
        with self.assertRaises(Rejected) as caught:
            self.verify(file)
        if reason:
            self.assertEqual(caught.exception.reason, reason)
        counted["refused"] += 1

    def file(self, jsn: int, size: int | None = None, **options: Any) -> bytes:
        return cbor([9, self.forge.entries[jsn][0], self.forge.receipt_of(jsn, size, **options)])

    def test_accepts_the_receipt_of_every_leaf_at_every_size(self) -> None:
        for size in range(1, self.forge.jsn + 1):
            for jsn in range(size):
                self.assertEqual(self.verify(self.file(jsn, size)).size, size)
                counted["accepted"] += 1

    def test_refuses_every_flipped_bit(self) -> None:
        file = self.file(5)
        for at in range(len(file)):
            self.refuse(flipped(file, at, at % 8))

    def test_refuses_what_the_signature_does_not_bind(self) -> None:
        forge, good = self.forge, self.file(5)
        self.refuse(cbor([9, forge.entries[4][0], forge.receipt_of(5)]), "WRONG_JSN")
        self.refuse(good + b"\0", "MALFORMED")
        self.refuse(good[:-1], "MALFORMED")
        other = Forge([ALICE, BOB], {3: bytes(32)}).genesis()
        self.refuse(cbor([9, other.entries[0][0], other.receipt_of(0)]), "WRONG_LEDGER")
        for size in (14, 16):  # the size in the proof is not signed
            proof = cbor([size, 5, path(5, forge.leaf_hashes())])
            twin = forge.receipt_of(5)
            twin.content[1] = {396: {-1: [proof]}}
            self.refuse(cbor([9, forge.entries[5][0], twin]), "WRONG_SIZE")
        for reason, labels in (
            ("WRONG_TYPE", {16: "application/vnd.tallystick.genesis+cose"}),
            ("WRONG_KEY", {4: forge.note.kid}),
            ("WRONG_LEDGER", {-70001: [1, bytes(32), 0, 15], 15: claims("localhost", bytes(32))}),
            ("WRONG_ORIGIN", {15: claims("other", forge.ledger_id)}),
            ("MALFORMED", {15: {1: "localhost", 2: "other"}}),
            ("MALFORMED", {395: 2}),
            ("MALFORMED", {3: "text"}),
            ("INDEX_OUT_OF_RANGE", {-70001: [1, forge.ledger_id, 0, 5]}),
        ):
            size = labels.get(-70001, [15])[-1]
            twin = forge.receipt_of(5, labels=labels)
            twin.content[1] = {396: {-1: [cbor([size, 5, path(5, forge.leaf_hashes())])]}}
            self.refuse(cbor([9, forge.entries[5][0], twin]), reason)

    def test_accepts_ranges_and_splits_them_into_the_same_receipts(self) -> None:
        forge = story()
        size, leaves = forge.jsn, [entry[0] for entry in forge.entries]
        for first in range(size):
            for count in range(1, size - first + 1):
                roots = outside(forge.leaf_hashes(), first, count)
                file = forge.range_receipt(first, count, roots)
                run = leaves[first : first + count]
                head, receipts = receipt.verify_range(self.genesis, 0, file, run)
                self.assertEqual(head, receipt.Head(size, root(forge.leaf_hashes())))
                self.assertEqual(receipts[-1], cbor(forge.receipt_of(first + count - 1)))
                counted["accepted"] += 1
                for twin in (roots[1:], roots + [bytes(32)], roots[::-1]):
                    if twin != roots:
                        with self.assertRaises(Rejected):
                            bad = forge.range_receipt(first, count, twin)
                            receipt.verify_range(self.genesis, 0, bad, run)
                        counted["refused"] += 1


def claims(authority: str, ledger_id: bytes) -> dict[int, str]:
    return {1: authority, 2: f"{authority}/l/{ledger_id.hex()}/0"}


class Trees(unittest.TestCase):
    def test_agrees_with_the_definition_at_every_size(self) -> None:
        data = [b"leaf %d" % i for i in range(70)]
        hashes = [merkle.leaf_hash(leaf) for leaf in data]
        for size in range(1, 71):
            self.assertEqual(merkle.root_over(data[:size]), root(hashes[:size]))
            for index in range(size):
                proof = path(index, hashes[:size])
                found = merkle.inclusion_root(index, size, proof, hashes[index])
                self.assertEqual(found, root(hashes[:size]))
                for twin in (proof[1:], proof + [bytes(32)]):
                    if len(twin) != len(proof):
                        with self.assertRaises(Rejected):
                            merkle.inclusion_root(index, size, twin, hashes[index])


class CommandCase(unittest.TestCase):
    """A folder with files, and the command."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def found(self, forge: Forge) -> None:
        self.forge = forge
        self.write("log", forge.log())

    def write(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)

    def run_it(self, command: str, name: str, *more: str, ledger_id: str = "") -> tuple[int, str]:
        out, wanted = io.StringIO(), ledger_id or self.forge.ledger_id.hex()
        where = name if name.startswith("http://") else str(self.folder / name)
        arguments = [command, where, "--ledger", wanted, *more]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                status = main(arguments)
            except SystemExit as e:
                status = int(str(e.code))
        self.assertNotIn("Traceback", out.getvalue())
        return status, out.getvalue()


class Command(CommandCase):
    def setUp(self) -> None:
        super().setUp()
        self.found(story())
        self.write("g", cbor([9, self.forge.entries[0][0], self.forge.receipt_of(0)]))
        self.write("5", cbor([9, self.forge.entries[5][0], self.forge.receipt_of(5)]))

    def test_answers_with_words_and_a_status(self) -> None:
        self.assertIn("PASSED: 15 leaves", self.run_it("log", "log")[1])
        self.write("bad", flipped(self.forge.log(), 1500, 0))
        status, words = self.run_it("log", "bad")
        self.assertEqual(status, 4)
        self.assertRegex(words, r"^FAILED at jsn \d+: [A-Z_]+: ")
        self.assertEqual(self.run_it("log", "missing")[0], 6)
        self.assertEqual(self.run_it("log", "log", ledger_id="xyz")[0], 2)
        self.assertEqual(self.run_it("log", "log", ledger_id="00" * 32)[0], 4)
        self.assertEqual(self.run_it("receipt", "5")[0], 2)

    def test_answers_with_json(self) -> None:
        status, answer = self.run_it("log", "log", "--json")
        self.assertEqual((status, json.loads(answer)["size"]), (0, 15))
        self.write("bad", self.forge.log()[:-1])
        status, answer = self.run_it("log", "bad", "--json")
        self.assertEqual((status, json.loads(answer)["kind"]), (4, "LOG_TRUNCATED"))
        self.assertEqual(json.loads(answer)["firstFaultyJsn"], 15)

    def test_takes_the_services_keys_from_whatever_hashes_to_the_id(self) -> None:
        self.write("leaf", self.forge.entries[0][0])
        self.write("params", self.forge.params)
        for holder in ("g", "log", "leaf", "params"):
            status, words = self.run_it("receipt", "5", "--genesis", str(self.folder / holder))
            self.assertEqual((status, words), (0, "PASSED: journal 5 is in the log of 15 leaves\n"))
        other = Forge([CAROL], {3: bytes(32)})
        self.write("other", other.params)
        self.write("empty", b"")
        for holder in ("other", "5", "empty"):
            status, _ = self.run_it("receipt", "5", "--genesis", str(self.folder / holder))
            self.assertEqual(status, 4)

    def test_verifies_a_range_against_a_saved_log(self) -> None:
        for first, count in ((0, 3), (4, 6)):
            roots = outside(self.forge.leaf_hashes(), first, count)
            self.write("range", self.forge.range_receipt(first, count, roots))
            log = str(self.folder / "log")
            self.assertEqual(self.run_it("range", "range", "--log", log)[0], 0)
        self.write("range", self.forge.range_receipt(4, 7, roots))
        self.assertEqual(self.run_it("range", "range", "--log", log)[0], 4)


def run_all() -> int:
    """Runs the tests of all modules here and prints the line that conformance/run adds up."""
    folder = str(Path(__file__).parent)
    tests = unittest.defaultTestLoader.discover(folder, "test_tallyverify*.py")
    result = unittest.TextTestRunner(sys.stderr, verbosity=1).run(tests)
    failed = len(result.failures) + len(result.errors) + len(result.skipped)
    accepted, refused = counted["accepted"], counted["refused"]
    print(f"tallyverify: {accepted} accepted, {refused} tampered refused, {failed} failed")
    return 0 if failed == 0 and accepted and refused else 1


if __name__ == "__main__":
    sys.exit(run_all())
