"""Files that ./tally made, and what it says of their tampered twins.

A service runs on a free loopback port in a temporary folder. One other process runs all commands.
"""

import contextlib
import io
import os
import random
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

import effort
import tally_commands
from forge import Signer
from forge_bytes import cbor
from forge_tiles import Files, items, store
from rules import counted, forged
from tally_commands import Commands
from tallyverify import cbor as strict
from tallyverify import journalproof, ledger, lineage, receipt, request, statefile
from tallyverify.__main__ import main
from tallyverify.audit import audit, audit_files
from tallyverify.leaf import GenesisLeaf, JournalLeaf, SealLeaf, parse_leaf
from tallyverify.logcopy import LogCopy
from tallyverify.rejected import Fault, Malformed, Rejected
from tallyverify.tiles import Folder

SEED = 4
FLIPS = effort.of(150, 1500)
START_SECONDS_MAX = 300
STOP_SECONDS_MAX = 300
CLUES = ("invoice 1", "order \u00e9", "never used")
JUDGED_BY_BOTH = ("a_batch_twice", "one_bad_signature_of_two", "a_state_root")
JUDGED_BY_BOTH += ("a_journal_withheld_from_the_trie", "a_deletion_not_told")
JUDGED_BY_BOTH += ("clues_turned_on_twice", "operations_in_another_order", "another_value")
JUDGED_BY_BOTH += ("a_key_that_is_not_absent", "a_write_withheld_from_the_state")
KEYS = {"seat": "present", "gone": "deleted", "none": "neverWritten"}


class Tool(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.environment = os.environ | {
            "TALLY_TRUST": str(cls.folder / "trust"),
            "TALLY_AOT": "off",
            "TALLY_READER_KEY": str(cls.folder / "al"),
            "TALLY_XMX": "256m",
        }
        cls.start_service()
        cls.commands = Commands(cls.folder, cls.environment)
        cls.addClassCleanup(cls.commands.close)
        cls.write_story()
        cls.log = (cls.folder / "log").read_bytes()
        cls.genesis = cls.genesis_of(cls.log, cls.ledger_id)

    @classmethod
    def start_service(cls) -> None:
        data = cls.folder / "data"
        with open(cls.folder / "up.log", "wb") as log:
            service = subprocess.Popen(
                [*tally_commands.service(), "--data", str(data), "--port", "0"],
                env=cls.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        cls.addClassCleanup(service.wait, STOP_SECONDS_MAX)
        cls.addClassCleanup(service.terminate)
        for _ in range(START_SECONDS_MAX * 10):
            said = (cls.folder / "up.log").read_text()
            listening = re.search(r"Listening on (\S+),", said)
            if listening:
                cls.environment["TALLY_SERVICE"] = listening.group(1)
                return
            if service.poll() is not None:
                break
            time.sleep(0.1)
        raise AssertionError(f"the service did not start: {said}")

    @classmethod
    def tally(cls, *arguments: str, status: int = 0) -> Any:
        said = cls.commands.run(*arguments, "--json")
        if said.status != status:
            raise AssertionError(f"{arguments}: {said}")
        return said.json()

    @classmethod
    def write_story(cls) -> None:
        """Members of both kinds of keys come and go; journals alone and in batches."""
        keys = {name: Signer(name, es256=name in ("bo", "da")) for name in ("al", "bo", "ca", "da")}
        for name, key in keys.items():
            (cls.folder / name).write_bytes(key.pem())
            (cls.folder / name).chmod(0o600)
        founded = cls.tally("ledger", "create", "sample", "--key", "al", "--key", "bo")
        cls.ledger_id = bytes.fromhex(founded["ledgerId"])
        one = founded["ledgerId"]
        cls.tally("member", "add", one, keys["ca"].spki.hex(), "--key", "al")
        cls.tally("member", "add", one, keys["da"].spki.hex(), "--key", "bo")
        texts = ("--text", "1", "--text", "2", "--text", "3")
        for more in (
            ("--text", "one", "--key", "ca"),
            ("--text", "one", "--key", "da", "--key", "al"),
            (*texts, "--key", "bo"),
            (*texts, "--key", "ca", "--key", "da"),
        ):
            cls.tally("append", one, "--receipts", "receipts", "--proofs", "proofs", *more)
        cls.write_clues(one)
        cls.tally("member", "revoke", one, keys["ca"].kid.hex(), "--key", "bo")
        cls.tally("append", one, "--text", "last", "--key", "da", "--receipts", "receipts")
        cls.tally("get", one, "0", "--receipt", "receipts/0.receipt")
        cls.said = cls.tally("audit", one, "--save", "log")["audit"]
        cls.write_later()
        cls.write_state()

    @classmethod
    def write_clues(cls, one: str) -> None:
        """Journals of several clues, alone and in a batch; deletions; three proofs of clues."""
        (cls.folder / "lineages").mkdir()
        names = ("--clue", "invoice 1", "--clue", "order \u00e9", "--clue", "gone")
        two, three = ("--text", "a", "--text", "b"), ("--clue", "invoice 1", "--clue", "gone")
        cls.tally("append", one, "--text", "c", *names, "--key", "al")
        cls.tally("append", one, *two, *three, "--key", "bo", "--key", "ca")
        cls.tally("clue", "delete", one, "gone", "--key", "da")
        cls.tally("clue", "delete", one, "order \u00e9", "--key", "da")
        cls.tally("append", one, "--text", "d", *names[:4], "--key", "ca")
        cls.listed = {
            clue: cls.tally("lineage", one, clue, "--save", f"lineages/{number}")
            for number, clue in enumerate(CLUES)
        }

    @classmethod
    def write_later(cls) -> None:
        """A ledger whose clues were turned on in a later block."""
        later = cls.tally("ledger", "create", "later", "--without-clues", "--key", "al")["ledgerId"]
        cls.tally("append", later, "--text", "without", "--key", "al")
        cls.tally("clue", "enable", later, "--from-block", "3", "--key", "al")
        cls.tally("append", later, "--text", "with", "--clue", "late", "--key", "al")
        cls.later = bytes.fromhex(later)
        cls.said_later = cls.tally("audit", later, "--save", "later-log")["audit"]

    @classmethod
    def write_state(cls) -> None:
        """A ledger with a state: keys written on conditions, changed, deleted; three readings."""
        kept = cls.tally("ledger", "create", "kept", "--state", "--key", "al")["ledgerId"]
        for action, key, *more in (
            ("put", "seat", "free", "--if-absent"),
            ("put", "gone", "for now"),
            ("put", "seat", "alice", "--if-value", "free"),
            ("delete", "gone", "--if-version", "4"),
        ):
            cls.tally("state", action, kept, key, *more, "--key", "al")
        (cls.folder / "states").mkdir()
        cls.read = {
            key: cls.tally("state", "get", kept, key, "--save", f"states/{key}") for key in KEYS
        }
        cls.ranged = cls.tally("state", "range", kept, "--save", "range")
        cls.several = cls.tally("state", "get", kept, *KEYS, "--save", "several")
        cls.kept = bytes.fromhex(kept)
        cls.said_kept = cls.tally("audit", kept, "--save", "kept-log")["audit"]
        cls.kept_log = (cls.folder / "kept-log").read_bytes()
        cls.tally("export", kept, "public", "--bodies")

    @staticmethod
    def genesis_of(log: bytes, ledger_id: bytes) -> ledger.Genesis:
        first = next(LogCopy(io.BytesIO(log)).entries())
        leaf = parse_leaf(first.leaf)
        assert isinstance(leaf, GenesisLeaf)
        return ledger.pinned(leaf.params, ledger_id)

    @classmethod
    def leaves(cls) -> list[bytes]:
        return [entry.leaf for entry in LogCopy(io.BytesIO(cls.log)).entries()]

    def fault(self, log: bytes, ledger_id: bytes) -> Fault:
        with self.assertRaises(Fault) as caught:
            audit(io.BytesIO(log), ledger_id)
        counted["refused"] += 1
        return caught.exception

    def judged_by_tally(
        self, log: bytes | Files, ledger_id: bytes, name: str = "twin"
    ) -> tuple[int, str]:
        """The first fault that tally finds, which must be one; it has met no ledger before."""
        source = "--copy"
        if isinstance(log, bytes):
            (self.folder / name).write_bytes(log)
        else:
            source = "--tiles"
            store(self.folder / name, log)
        trust = str(self.folder / "no-trust")
        arguments = ("audit", ledger_id.hex(), source, name, "--trust", trust)
        said = self.tally(*arguments, status=4)["audit"]
        return said["firstFaultyJsn"], said["faults"][0]["kind"]

    def test_finds_in_a_saved_log_what_tally_found(self) -> None:
        later = (self.folder / "later-log").read_bytes()
        for log, ledger_id, said in (
            (self.log, self.ledger_id, self.said),
            (self.kept_log, self.kept, self.said_kept),
            (later, self.later, self.said_later),
        ):
            report = audit(io.BytesIO(log), ledger_id)
            self.assertEqual(report.root.hex(), said["root"])
            self.assertEqual(report.size, said["size"])
            self.assertEqual(report.checkpoint_verified, said["checkpointVerified"])
            self.assertEqual(report.counts, {name: said["counts"][name] for name in report.counts})
            counted["accepted"] += 1
        self.assertEqual(report.counts["clueEntries"], 1)
        self.assertEqual(self.said["counts"]["clueDeletions"], 2)
        self.assertEqual(self.said_kept["counts"]["operations"], 4)

    def test_accepts_every_saved_lineage_and_no_twin_of_it(self) -> None:
        for number, clue in enumerate(CLUES):
            wanted = request.clue_id(self.ledger_id, clue)
            good = (self.folder / "lineages" / str(number)).read_bytes()
            run = lineage.verify_file(self.genesis, 0, good)
            self.assertEqual(run.clue.clue_id, wanted)
            self.assertEqual(list(run.whole()), self.jsns_of(wanted))
            audit(io.BytesIO(self.log), self.ledger_id, 0, run.clue.head)
            counted["accepted"] += 1
            for at in range(len(good)):
                twin = good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1 :]
                with self.subTest(clue=clue, byte=at), self.assertRaises(Rejected):
                    if lineage.verify_file(self.genesis, 0, twin).clue.clue_id != wanted:
                        raise Malformed("of another clue, which its reader refuses")
                counted["refused"] += 1

    def jsns_of(self, clue_id: bytes) -> list[int]:
        """The journals whose headers name the clue, searched for one by one."""
        leaves = map(parse_leaf, self.leaves())
        journals = [leaf for leaf in leaves if isinstance(leaf, JournalLeaf)]
        headers = [(leaf.jsn, request.parse_header(leaf.header)) for leaf in journals]
        return [jsn for jsn, header in headers if clue_id in header.clue_ids]

    def clue_twins(self) -> list[tuple[str, bytes, int, str]]:
        """The log with one thing changed about clues; the first fault of each."""
        leaves = self.leaves()
        parsed = [parse_leaf(leaf) for leaf in leaves]
        clue_id = request.clue_id(self.ledger_id, "order \u00e9")
        first, deletion = self.jsns_of(clue_id)[:2]
        seal = next(leaf for leaf in parsed[first:] if isinstance(leaf, SealLeaf))
        twins, in_it = [], self.ledger_id
        for name, jsn, old, new, kind in (
            ("clueRoot", seal.jsn, seal.clue_root, bent(seal.clue_root), "WRONG_FEATURE_ROOT"),
            ("clue id", first, clue_id, bent(clue_id), "BODY_MISMATCH"),
            ("kind", deletion, in_it + b"\0\2", in_it + b"\0\1", "BAD_SIGNATURE"),
        ):
            at = leaves[jsn].index(old)
            leaf = leaves[jsn][:at] + new + leaves[jsn][at + len(old) :]
            twins.append((name, self.log.replace(leaves[jsn], leaf, 1), jsn, kind))
        text = "order \u00e9".encode()
        twins.append(("text", self.log.replace(text, bent(text), 1), first, "BODY_MISMATCH"))
        one, other = (len(leaves[at]).to_bytes(4, "big") + leaves[at] for at in (first, deletion))
        swapped = self.log.replace(one, b"HERE", 1).replace(other, one, 1)
        swapped = swapped.replace(b"HERE", other, 1)
        twins.append(("journals swapped", swapped, first, "WRONG_JSN"))
        return twins

    def test_refuses_what_was_changed_about_clues(self) -> None:
        for name, log, jsn, kind in self.clue_twins():
            with self.subTest(name):
                self.assertNotEqual(log, self.log)
                fault = self.fault(log, self.ledger_id)
                self.assertEqual((fault.jsn, fault.kind), (jsn, kind), fault)
                self.assertEqual((jsn, kind), self.judged_by_tally(log, self.ledger_id))

    def test_accepts_every_saved_reading_and_no_twin_of_it(self) -> None:
        genesis = self.genesis_of(self.kept_log, self.kept)
        files = {key: (self.folder / "states" / key).read_bytes() for key in KEYS}
        for key, what in KEYS.items():
            said = self.read[key]
            reading = statefile.verify(genesis, 0, files[key])
            self.assertEqual((reading.key, reading.answer.what), (key.encode(), what))
            self.assertEqual(reading.head.size, said["headSize"])
            self.assertEqual(reading.answer.height, said["height"])
            if reading.answer.entry:
                self.assertEqual(reading.answer.entry.jsn, said["jsn"])
            audit(io.BytesIO(self.kept_log), self.kept, 0, reading.head)
            counted["accepted"] += 1
            for name, twin in self.twins_of_reading(files, key):
                with self.subTest(key=key, twin=name), self.assertRaises(Rejected):
                    if statefile.verify(genesis, 0, twin).key != key.encode():
                        raise Malformed("of another key, which its reader refuses")
                counted["refused"] += 1
        self.assertEqual(statefile.verify(genesis, 0, files["seat"]).value, b"alice")
        self.assertEqual(self.read["seat"]["value"], "alice")

    def test_accepts_a_saved_range_and_no_twin_of_it(self) -> None:
        genesis = self.genesis_of(self.kept_log, self.kept)
        good = (self.folder / "range").read_bytes()
        found = statefile.verify_range(genesis, 0, good)
        keys = [entry.key for entry in found.entries]
        self.assertEqual((keys, found.values), ([b"seat"], [b"alice"]))
        self.assertEqual((found.start, found.to), (b"", None))
        self.assertEqual(found.height, self.ranged["height"])
        for at, byte in enumerate(good):
            twin = good[:at] + bytes([byte ^ 1 << at % 8]) + good[at + 1 :]
            with self.subTest(byte=at), self.assertRaises(Rejected):
                statefile.verify_range(genesis, 0, twin)
            counted["refused"] += 1
        self.assertEqual(self.command("--range", "", "")[0], 0)
        self.assertIn('"complete": true', self.command("--range", "", "")[1])
        status, words = self.command("--range-hex", "61", "")
        self.assertEqual((status, "WRONG_KEY" in words), (4, True), words)
        self.assertIn("WRONG_KEY", self.command("--range", "", "s")[1])
        counted["accepted"] += 1

    def test_accepts_a_file_of_several_keys_and_no_twin_of_it(self) -> None:
        genesis = self.genesis_of(self.kept_log, self.kept)
        good = (self.folder / "several").read_bytes()
        found = statefile.verify_several(genesis, 0, good)
        self.assertEqual(found.keys, sorted(key.encode() for key in KEYS))
        self.assertEqual([one.what for one in found.answers], [KEYS[key] for key in sorted(KEYS)])
        self.assertEqual(found.values, [None, None, b"alice"])
        self.assertEqual(found.height, self.several["height"])
        for at, byte in enumerate(good):
            twin = good[:at] + bytes([byte ^ 1 << at % 8]) + good[at + 1 :]
            with self.subTest(byte=at), self.assertRaises(Rejected):
                if statefile.verify_several(genesis, 0, twin).keys != found.keys:
                    raise Malformed("of other keys, which their reader refuses")
            counted["refused"] += 1
        status, words = self.command("--key", "seat", "--key", "none", of="several")
        self.assertEqual((status, words.count('"keyHex"')), (0, 2), words)
        status, words = self.command("--key", "seat", "--key", "sea", of="several")
        self.assertEqual((status, "WRONG_KEY" in words), (4, True), words)
        self.assertIn("WRONG_KEY", self.command("--key", "a", "--key", "b", of="states/seat")[1])
        self.assertEqual(self.command("--key-hex", b"seat".hex(), of="states/seat")[0], 0)
        counted["accepted"] += 1

    def command(self, *ends: str, of: str = "range") -> tuple[int, str]:
        """What the command says of a saved file and the replayed log."""
        said = io.StringIO()
        files = str(self.folder / of), "--ledger", self.kept.hex()
        log = "--genesis", str(self.folder / "kept-log"), "--log", str(self.folder / "kept-log")
        with contextlib.redirect_stdout(said):
            status = main(["state", *files, *log, "--json", *ends])
        return status, said.getvalue()

    @staticmethod
    def twins_of_reading(files: dict[str, bytes], key: str) -> list[tuple[str, bytes]]:
        """A flipped bit in each byte; the value or the proof of another key; another value."""
        good = files[key]
        twins = [
            (f"byte {at}", good[:at] + bytes([byte ^ 1 << at % 8]) + good[at + 1 :])
            for at, byte in enumerate(good)
        ]
        number, statement, proof, value = strict.decode(good)
        for other in (name for name in files if name != key):
            _, _, other_proof, other_value = strict.decode(files[other])
            twins.append((f"the file of {other}", files[other]))
            twins.append((f"the proof of {other}", cbor([number, statement, other_proof, value])))
            if other_value != value and other_value:
                shown = cbor([number, statement, proof, other_value])
                twins.append((f"the value of {other}", shown))
        if value:
            opening, shown = strict.decode(value)
            changed = cbor([number, statement, proof, cbor([opening, bent(shown)])])
            twins.append(("another value", changed))
        return twins

    def state_twins(self) -> list[tuple[str, bytes, int, str]]:
        """The log with one thing changed about the state; the first fault of each."""
        entries = list(LogCopy(io.BytesIO(self.kept_log)).entries())
        put, change, seal = entries[2], entries[6], parse_leaf(entries[7].leaf)
        assert isinstance(seal, SealLeaf)
        twins = []
        for name, jsn, whole, old, new, kind in (
            ("key", 2, put.operations, b"seat", b"seal", "OPERATIONS_MISMATCH"),
            ("action", 8, entries[8].operations, b"\x07\2", b"\x07\1", "OPERATIONS_MISMATCH"),
            ("value", 6, change.body, b"alice", b"malic", "BODY_MISMATCH"),
            ("root", 7, entries[7].leaf, seal.state_root, bent(seal.state_root), "WRONG_STATE_ROOT"),
        ):
            self.assertIn(old, whole)
            twin = self.kept_log.replace(whole, whole.replace(old, new), 1)
            twins.append((name, twin, jsn, kind))
        prefix, none = len(put.operations).to_bytes(4, "big") + put.operations, bytes(4)
        left_out = self.kept_log.replace(prefix, none, 1)
        return [*twins, ("left out", left_out, 2, "OPERATIONS_MISSING")]

    def test_refuses_what_was_changed_about_the_state(self) -> None:
        for name, log, jsn, kind in self.state_twins():
            with self.subTest(name):
                self.assertNotEqual(log, self.kept_log)
                fault = self.fault(log, self.kept)
                self.assertEqual((fault.jsn, fault.kind), (jsn, kind), fault)
                self.assertEqual((jsn, kind), self.judged_by_tally(log, self.kept))

    def test_finds_in_exported_files_what_tally_finds(self) -> None:
        report = audit_files(Folder(self.folder / "public"), self.kept)
        said = self.tally("audit", self.kept.hex(), "--tiles", "public")["audit"]
        self.assertEqual((report.root.hex(), report.size), (said["root"], said["size"]))
        self.assertEqual(report.counts, {name: said["counts"][name] for name in report.counts})
        self.assertEqual(report.counts["operations"], 4)
        self.assertEqual((report.checkpoint_verified, report.receipt_verified), (True, False))
        counted["accepted"] += 1

    def exported(self) -> Files:
        """The export as files in memory."""
        folder = self.folder / "public"
        files = (file for file in folder.rglob("*") if file.is_file())
        return {str(file.relative_to(folder)): file.read_bytes() for file in files}

    def exported_twins(self) -> list[tuple[str, Files, int, str]]:
        """The export with other operations; the first fault of each."""
        files, size = self.exported(), self.said_kept["size"]
        path = f"tile/ops/000.p/{size}"
        good = files[path]
        put, other = (
            len(ops).to_bytes(4, "big") + ops
            for jsn, ops in enumerate(items(good)) if jsn in (2, 4)
        )
        none = bytes(4)
        twins = [
            (name, files | {path: twin}, jsn, kind)
            for name, twin, jsn, kind in (
                ("changed", good.replace(b"seat", b"seal", 1), 2, "OPERATIONS_MISMATCH"),
                ("dropped", good.replace(put, none, 1), 2, "OPERATIONS_MISSING"),
                ("moved", good.replace(put + none, none + put, 1), 2, "OPERATIONS_MISSING"),
                ("swapped", good.replace(put + none + other, other + none + put, 1), 2,
                 "OPERATIONS_MISMATCH"),
                ("cut short", good[:-1], 0, "LOG_MALFORMED"),
            )
        ]
        left = {name: data for name, data in files.items() if name != path}
        return [*twins, ("missing", left, 0, "LOG_TRUNCATED")]

    def test_refuses_exported_files_with_other_operations(self) -> None:
        for name, files, jsn, kind in self.exported_twins():
            with self.subTest(name):
                self.assertNotEqual(files, self.exported())
                judged = self.judged_by_tally(files, self.kept, name)
                with self.assertRaises(Fault) as caught:
                    audit_files(Folder(self.folder / name), self.kept)
                fault = caught.exception
                self.assertEqual((fault.jsn, fault.kind), (jsn, kind), fault)
                self.assertEqual(judged, (jsn, kind))
                counted["refused"] += 1

    def test_accepts_every_saved_receipt_and_no_twin_of_it(self) -> None:
        files = sorted((self.folder / "receipts").iterdir())
        self.assertEqual(len(files), 10)
        for number, file in enumerate(files):
            good = file.read_bytes()
            receipt.verify(self.genesis, 0, *receipt.read_file(good))
            counted["accepted"] += 1
            for at in range(number, len(good), len(files)):
                twin = good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1 :]
                with self.assertRaises(Rejected, msg=f"{file.name}, byte {at}"):
                    receipt.verify(self.genesis, 0, *receipt.read_file(twin))
                counted["refused"] += 1

    def test_accepts_every_saved_proof_and_no_twin_of_it(self) -> None:
        files = sorted((self.folder / "proofs").iterdir(), key=lambda file: int(file.stem))
        documents = [b"one", b"1", b"2", b"3"]
        shown = []
        for number, file in enumerate(files):
            good = file.read_bytes()
            jsn = int(file.stem)
            (document,) = [text for text in documents if self.proves(good, text)]
            shown.append(document)
            found = journalproof.verify(good, self.ledger_id, 0, document)
            self.assertEqual((found.journal.jsn, found.payload_bytes), (jsn, len(document)))
            (self.folder / "document").write_bytes(document)
            named = ("verify", self.ledger_id.hex(), "--payload", "document", "--proof")
            said = self.tally(*named, f"proofs/{file.name}")
            self.assertEqual(said["signers"], [kid.hex() for kid in found.signers])
            counted["accepted"] += 1
            for at in range(number, len(good), len(files)):
                twin = good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1 :]
                self.assertFalse(self.proves(twin, document), f"{file.name}, byte {at}")
                counted["refused"] += 1
            at = len(good) - 40  # in the salt
            twin = good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :]
            (self.folder / "twin.proof").write_bytes(twin)
            self.tally_fails(*named, "twin.proof")
        self.assertEqual(shown, [b"one"] * 2 + documents[1:] * 2)

    def proves(self, file: bytes, document: bytes) -> bool:
        try:
            journalproof.verify(file, self.ledger_id, 0, document)
        except Rejected:
            return False
        return True

    def tally_fails(self, *arguments: str) -> None:
        said = self.commands.run(*arguments)
        self.assertEqual(said.status, 4, said)

    def test_refuses_flipped_bits_everywhere(self) -> None:
        chance = random.Random(SEED)
        for log, ledger_id in ((self.log, self.ledger_id), (self.kept_log, self.kept)):
            for _ in range(FLIPS):
                at, bit = chance.randrange(len(log)), chance.randrange(8)
                twin = log[:at] + bytes([log[at] ^ 1 << bit]) + log[at + 1 :]
                with self.subTest(at=at, bit=bit):
                    self.fault(twin, ledger_id)

    def test_names_the_fault_that_tally_names(self) -> None:
        chance = random.Random(SEED)
        twins = [(forged()[name][0](), name) for name in JUDGED_BY_BOTH]
        for _ in range(3):
            at = chance.randrange(12, len(self.log))
            twins.append(
                (self.log[:at] + bytes([self.log[at] ^ 1]) + self.log[at + 1 :], f"byte {at}")
            )
        for log, name in twins:
            ledger_id = self.ledger_id if name.startswith("byte") else log[12:44]
            with self.subTest(name):
                fault = self.fault(log, ledger_id)
                self.assertEqual((fault.jsn, fault.kind), self.judged_by_tally(log, ledger_id))


def bent(data: bytes) -> bytes:
    """With one bit changed, in the middle."""
    at = len(data) // 2
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


if __name__ == "__main__":
    unittest.main()
