"""Saved readings of the state, and the command that verifies them."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from forge import Forge, opening
from forge_bytes import cbor, path
from rules import ALICE, allowed, counted
from rules_of_state import SEED, history, kept, put, with_state, writing
from tallyverify import ledger, statefile
from tallyverify.rejected import Rejected
from test_tallyverify import CommandCase, flipped

ABSENT = "absent"
BY_HAND = Path(__file__).resolve().parent / "by_hand.py"


def proof_of(forge: Forge, key: bytes) -> bytes:
    """The lookup proof of a key under the newest head."""
    assert forge.state
    way = path(forge.jsn - 1, forge.leaf_hashes())
    return cbor([30, forge.entries[-1][0], way, key, *forge.state.lookup(key)])


def file_of(forge: Forge, key: bytes, value: bytes | None = None) -> bytes:
    return cbor([32, forge.checkpoint(), proof_of(forge, key), value])


def shown(forge: Forge, jsn: int, index: int, value: bytes) -> bytes:
    """A value with its opening, of an operation of the journal."""
    return cbor([opening(forge.entries[jsn][3], index), value])


class Readings(unittest.TestCase):
    def refused(self, reason: str, genesis: ledger.Genesis, file: bytes) -> None:
        with self.assertRaises(Rejected) as caught:
            statefile.verify(genesis, 0, file)
        self.assertEqual(caught.exception.reason, reason, caught.exception)
        counted["refused"] += 1

    def test_reads_every_key_of_a_folded_state_as_the_definition_has_it(self) -> None:
        forge = history(SEED, 200, 200)
        genesis = ledger.parse_genesis(forge.params)
        answers = set()
        for number in range(0, 230, 3):
            key = f"{number:03}".encode()
            held = forge.state.held(key)
            answer = statefile.verify(genesis, 0, file_of(forge, key)).answer
            wanted = ABSENT if held is None else "present" if held[0] else "deleted"
            self.assertEqual((answer.what, answer.height), (wanted, forge.height - 1))
            if held and answer.entry:
                entry = answer.entry
                found = [entry.present, entry.value_commit, entry.value_size, entry.jsn]
                self.assertEqual(found, held)
            answers.add(answer.what)
            counted["accepted"] += 1
        self.assertEqual(answers, {"present", "deleted", ABSENT})

    def test_takes_no_value_but_the_entrys(self) -> None:
        forge = kept()
        genesis = ledger.parse_genesis(forge.params)
        right = shown(forge, 10, 0, b"2")
        self.assertEqual(statefile.verify(genesis, 0, file_of(forge, b"a", right)).value, b"2")
        counted["accepted"] += 1
        for key, value in (
            (b"a", shown(forge, 10, 0, b"1")),
            (b"a", shown(forge, 3, 0, b"1")),  # an older one
            (b"a", shown(forge, 10, 1, b"2")),
            (b"c", right),
            (b"b", shown(forge, 3, 1, b"value")),  # deleted since
            (b"never", right),
        ):
            self.refused("COMMITMENT_MISMATCH", genesis, file_of(forge, key, value))
        self.refused("MALFORMED", genesis, file_of(forge, b"a", bytes(1_114_177)))

    def test_refuses_forged_files(self) -> None:
        forge = kept()
        genesis = ledger.parse_genesis(forge.params)
        good = file_of(forge, b"a")
        for at in range(len(good)):
            with self.assertRaises(Rejected, msg=f"byte {at}"):
                statefile.verify(genesis, 0, flipped(good, at, at % 8))
            counted["refused"] += 1
        old = forge.checkpoint()
        forge.submit([ALICE], [writing(forge, put("a", "3"))]).seal()
        self.refused("WRONG_JSN", genesis, cbor([32, old, proof_of(forge, b"a"), None]))
        items = [forge.checkpoint(), proof_of(forge, b"a"), None]
        self.refused("MALFORMED", genesis, cbor([31, *items]))
        self.refused("MALFORMED", genesis, cbor([32, *items, None]))
        self.refused("MALFORMED", genesis, cbor([32, items[0], bytes(256 * 1024 + 1), None]))
        older = forge.state.partitions[0]
        older.entries[b"a"] = older.entries[b"1"]  # what the seal does not say
        self.refused("ROOT_MISMATCH", genesis, file_of(forge, b"a"))


class StateCommand(CommandCase):
    def setUp(self) -> None:
        super().setUp()
        self.found(kept())
        self.write("a", file_of(self.forge, b"a", shown(self.forge, 10, 0, b"2")))
        self.write("b", file_of(self.forge, b"b"))
        self.write("none", file_of(self.forge, b"\xff\0"))
        self.write("bare", proof_of(self.forge, b"a"))
        self.write("head", self.forge.checkpoint())

    def at(self, name: str) -> str:
        return str(self.folder / name)

    def state(self, name: str, *more: str) -> tuple[int, str]:
        return self.run_it("state", name, "--genesis", self.at("log"), *more)

    def test_shows_a_value_a_deletion_and_an_absence(self) -> None:
        status, words = self.state("a", "--key", "a", "--log", self.at("log"))
        self.assertEqual(status, 0, words)
        self.assertIn("present by journal 10, 1 bytes b'2', as of block 3", words)
        self.assertIn("deleted by journal 8, as of", self.state("b", "--key-hex", "62")[1])
        self.assertIn("neverWritten", self.state("none", "--key-hex", "ff00")[1])
        said = self.state("a", "--key", "a", "--json")[1]
        self.assertIn(f'"valueHex": "{b"2".hex()}"', said)
        self.assertIn('"logReplayed": false', said)

    def test_refuses_another_key_head_and_log(self) -> None:
        status, words = self.state("a", "--key", "b")
        self.assertEqual((status, words[:19]), (4, "FAILED: WRONG_KEY: "))
        for more in ((), ("--key", ""), ("--key-hex", "6"), ("--key-hex", "zz")):
            self.assertEqual(self.state("a", *more)[0], 2)
        self.assertEqual(self.state("a", "--key", "x" * 257)[0], 2)
        self.assertIn("MISSING", self.state("bare", "--key", "a")[1])
        head = ("--head", self.at("head"))
        self.assertEqual(self.state("bare", "--key", "a", *head)[0], 0)
        self.assertIn("WRONG_KEY", self.state("bare", "--key", "b", *head)[1])
        self.assertEqual(self.state("a", "--key", "a", *head)[0], 0)
        longer = self.forge.submit([ALICE]).seal()
        self.write("newer", longer.checkpoint())
        self.assertIn("MISSING", self.state("a", "--key", "a", "--head", self.at("newer"))[1])
        self.write("longer", longer.log())
        self.assertEqual(self.state("a", "--key", "a", "--log", self.at("longer"))[0], 0)
        other = with_state()
        while other.jsn < self.forge.jsn:
            other.submit([ALICE]).seal()
        self.write("other", other.log())
        words = self.state("a", "--key", "a", "--log", self.at("other"))[1]
        self.assertIn("TRUSTED_HEAD_CONTRADICTED", words)

    def test_does_not_take_a_log_whose_state_is_another(self) -> None:
        forge = kept()
        forge.submit([ALICE], [writing(forge, put("a", "3"))])
        forge.written.clear()
        forge.seal()
        self.found(forge)
        self.write("a", file_of(forge, b"a"))
        self.assertEqual(self.state("a", "--key", "a")[0], 0)
        words = self.state("a", "--key", "a", "--log", self.at("log"))[1]
        self.assertIn("FAILED at jsn 14: WRONG_STATE_ROOT", words)
        counted["refused"] += 1


class ByHand(unittest.TestCase):
    """by_hand.py, which shares no code, on saved logs with and without a state."""

    def by_hand(self, log: bytes) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "log").write_bytes(log)
            command = [sys.executable, str(BY_HAND), "log", log[12:44].hex()]
            return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    def test_reads_logs_with_and_without_a_state(self) -> None:
        for version, name in ((2, "a_state_that_is_kept"), (1, "an_occult_of_one_journal")):
            log = allowed()[name]()
            self.assertEqual(log[11], version, name)
            done = self.by_hand(log)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("that is signed", done.stdout)
            counted["accepted"] += 1

    def test_says_which_copies_it_does_not_read(self) -> None:
        log = bytearray(allowed()["an_occult_of_one_journal"]())
        log[11] = 3
        done = self.by_hand(bytes(log))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no saved log that has all leaves", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
