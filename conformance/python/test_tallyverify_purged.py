"""Purged logs: saved ones and public files, what the verifier says of them, and what tally says."""

import functools
import io
import json
import os
import tempfile
import unittest
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import rules_of_purged_logs  # noqa: F401 — they register themselves
import rules_of_purged_starts  # noqa: F401
from forge import Forge
from forge_bytes import outside, root
from forge_purged import AFFECTED, KEPT, PARAMS, Purged, shown
from forge_tiles import store
from rules import ALICE, BOB, CAROL, batch, counted
from rules_of_purged import (
    INVALID,
    OWNERS,
    RIGHT,
    WRONG,
    behind,
    begun,
    clues_that_some_named_below,
    going_on,
    one_absent_and_a_regulator,
)
from rules_of_purged_state import (
    a_pass_that_is_said_not_to_run,
    a_pass_that_is_said_to_end_earlier,
    a_state_in_the_middle_of_a_fold,
)
from rules_of_removal import watched
from tally_commands import Commands, Said
from tallyverify.audit import Report, audit, audit_files
from tallyverify.receipt import Head
from tallyverify.rejected import Fault, NotJudged
from test_tallyverify import CommandCase
from test_tallyverify_tiles import Held

# What only one kind of source can have: bundles have no first entry of their own.
OF_COPIES = {
    "a_log_that_begins_a_block_earlier",
    "a_log_that_begins_a_block_later",
    "a_purged_log_with_a_state_in_version_3",
    "a_purged_log_without_a_state_in_version_4",
}


@functools.cache
def built(name: str) -> Purged:
    """One of the logs, not to be changed."""
    return (RIGHT.get(name) or WRONG[name][0])()


def of_copy(log: Purged, trusted: Head | None = None) -> Report:
    return audit(io.BytesIO(log.log()), log.forge.ledger_id, trusted=trusted)


def of_files(log: Purged, trusted: Head | None = None) -> Report:
    return audit_files(Held(log.files()), log.forge.ledger_id, trusted=trusted)


def long() -> Purged:
    """A log of 900 leaves, in files of 256 each, that begins at 604."""
    forge = watched()
    forge.submit([ALICE], batch(forge, 595)).seal()
    log = behind(forge, 604, OWNERS)
    forge.submit([BOB], batch(forge, 293)).seal()
    return log


def hidden() -> dict[str, tuple[Purged, int, str]]:
    """Logs of which what is left hides a fault, and what the whole log shows.

    What a purge leaves out of its snapshot nobody can miss in it. A fold that loses no value may be
    another than the log's.
    """
    revoked = watched().revoke(ALICE, CAROL.kid).seal()
    snapshots = {
        "a revocation": behind(revoked, 10, change=lambda fields: fields[KEPT].pop()),
        "a signature": behind(watched(), 8, window=lambda entries: entries.pop()),
        "a member concerned": behind(watched(), 8, [ALICE], change=without_bob),
    }
    shown_whole = {name: (log, log.purge, "SNAPSHOT_WRONG") for name, log in snapshots.items()}
    shown_whole["a shorter pass"] = (a_pass_that_is_said_to_end_earlier(), 29, "WRONG_STATE_ROOT")
    shown_whole["a pass less"] = (a_pass_that_is_said_not_to_run(), 23, "WRONG_STATE_ROOT")
    return shown_whole


def without_bob(fields: list[Any]) -> None:
    fields[AFFECTED].remove(BOB.kid)


def head(forge: Forge, size: int) -> Head:
    return Head(size, root(forge.leaf_hashes(size)))


class PurgedCase(unittest.TestCase):
    def refuse(self, judge: Callable[[], Report]) -> tuple[int, str]:
        with self.assertRaises(Fault) as caught:
            judge()
        counted["refused"] += 1
        self.fault = caught.exception
        return self.fault.jsn, self.fault.kind


class Logs(PurgedCase):
    def test_accepts_every_purged_log_that_keeps_the_rules(self) -> None:
        for name in RIGHT:
            log = built(name)
            for judge in (of_copy, of_files):
                with self.subTest(name, by=judge.__name__):
                    found = judge(log)
                    self.assertEqual(found.size, log.forge.jsn)
                    self.assertEqual(found.root, root(log.forge.leaf_hashes()))
                    counted["accepted"] += 1

    def test_accepts_the_whole_logs_that_they_are_of(self) -> None:
        for name in RIGHT:
            with self.subTest(name):
                forge = built(name).forge
                audit(io.BytesIO(forge.log()), forge.ledger_id)
                counted["accepted"] += 1

    def test_names_the_first_fault_of_every_one_that_breaks_one(self) -> None:
        for name, (_, jsn, kind, reason) in WRONG.items():
            log = built(name)
            for judge in (of_copy, of_files)[: 1 if name in OF_COPIES else 2]:
                with self.subTest(name, by=judge.__name__):
                    self.assertEqual(self.refuse(lambda: judge(log)), (jsn, kind))  # noqa: B023
                    self.assertIn(reason, self.fault.detail)

    def test_what_the_signers_hide_only_the_whole_log_shows(self) -> None:
        for name, (log, jsn, kind) in hidden().items():
            with self.subTest(name):
                of_copy(log)
                of_files(log)
                counted["accepted"] += 2
                whole = log.forge.log()
                found = self.refuse(lambda: audit(io.BytesIO(whole), whole[12:44]))  # noqa: B023
                self.assertEqual(found, (jsn, kind))

    def test_says_what_was_purged_and_by_whom(self) -> None:
        found = of_copy(one_absent_and_a_regulator())
        prefix = found.prefix
        assert prefix is not None
        self.assertEqual((prefix.first_kept, prefix.shown.purge.jsn), (8, 8))
        signers = {(signer.key.kid, signer.role) for signer in prefix.shown.signers}
        self.assertEqual(signers, {(ALICE.kid, 1), (CAROL.kid, 2)})
        self.assertEqual(prefix.shown.snapshot.absent, [BOB.kid])
        self.assertEqual((found.counts["leaves"], found.purges), (4, 1))
        self.assertEqual(of_copy(clues_that_some_named_below()).counts["clues"], 3)

    def test_refuses_a_log_that_ends_where_its_purge_ended(self) -> None:
        log = begun()
        for size in (0, 7, 8):
            judge = lambda: audit(io.BytesIO(log.log(size)), log.forge.ledger_id)  # noqa: B023, E731
            self.assertEqual(self.refuse(judge), (7, "LOG_TRUNCATED"))

    def test_refuses_what_is_no_pseudo_genesis(self) -> None:
        log = begun()
        log.type = 17
        params = begun(change=lambda fields: fields.__setitem__(PARAMS, b"params"))
        for each in (log, params):
            self.assertEqual(self.refuse(lambda: of_copy(each)), (0, "LOG_MALFORMED"))  # noqa: B023
            self.assertEqual(self.refuse(lambda: of_files(each)), (0, INVALID))  # noqa: B023

    def test_refuses_flipped_bits_in_what_a_log_begins_with(self) -> None:
        log = begun()
        data = log.log()
        end = data.index(log.forge.entries[8][0])
        for at in range(64, end, 29):
            wrong = bytearray(data)
            wrong[at] ^= 1 << at % 8
            self.refuse(lambda: audit(io.BytesIO(bytes(wrong)), log.forge.ledger_id))  # noqa: B023


class PublicFiles(PurgedCase):
    def test_reads_no_bundle_that_is_gone(self) -> None:
        log = long()
        held = Held(log.files())
        found = audit_files(held, log.forge.ledger_id)
        counted["accepted"] += 1
        self.assertEqual((found.size, found.counts["leaves"]), (900, 296))
        self.assertNotIn("tile/entries/001", held.files)
        self.assertNotIn("tile/entries/001", held.asked)
        self.assertNotIn("tile/0/000", held.asked)

    def test_refuses_a_body_below_where_a_log_begins(self) -> None:
        log = behind(watched(), 8)
        files = log.files()
        name = f"bodies/000.p/{log.forge.jsn}"
        files[name] = bytes([0, 0, 0, 40]) + bytes(40) + files[name][4:]
        found = self.refuse(lambda: audit_files(Held(files), log.forge.ledger_id))
        self.assertEqual(found, (8, "LOG_MALFORMED"))

    def test_a_smaller_trusted_head_goes_on_over_the_hash_tiles(self) -> None:
        log = long()
        for size in (1, 2, 4, 7, 8, 255, 256, 257, 511, 603, 604, 605, 900):
            of_files(log, head(log.forge, size))
            counted["accepted"] += 1
            if size < 605:
                wrong = Head(size, bytes(32))
                found = self.refuse(lambda: of_files(log, wrong))  # noqa: B023
                self.assertEqual(found, (size - 1, "TRUSTED_HEAD_CONTRADICTED"))

    def test_a_copy_has_no_hashes_for_a_smaller_trusted_head(self) -> None:
        log = begun()
        of_copy(log, head(log.forge, 8))
        with self.assertRaises(NotJudged):
            of_copy(log, head(log.forge, 4))

    def test_refuses_other_hash_tiles_and_files_left_out(self) -> None:
        log = long()
        tiles = {"tile/0/002": (3, 91, 92, 255), "tile/1/000.p/3": (0, 1, 2)}
        for name, places in tiles.items():
            for place in places:
                files = log.files()
                tile = bytearray(files[name])
                tile[32 * place] ^= 1
                files[name] = bytes(tile)
                judge = lambda: audit_files(Held(files), log.forge.ledger_id)  # noqa: B023, E731
                self.assertEqual(self.refuse(judge)[1], "LOG_MALFORMED")
        for name in ("snapshot/window", "tile/entries/002", "tile/0/002", "tile/1/000.p/3"):
            files = log.files()
            del files[name]
            judge = lambda: audit_files(Held(files), log.forge.ledger_id)  # noqa: B023, E731
            self.assertEqual(self.refuse(judge)[1], "LOG_TRUNCATED")


class Words(CommandCase):
    def test_say_what_is_not_checked(self) -> None:
        log = one_absent_and_a_regulator()
        self.forge = log.forge
        self.write("log", log.log())
        store(self.folder / "files", log.files())
        for command, name in (("log", "log"), ("tiles", "files")):
            status, words = self.run_it(command, name)
            self.assertEqual(status, 0)
            self.assertIn("PASSED from jsn 8 on", words)
            self.assertIn(f"absent: {BOB.kid.hex()}", words)
            status, answer = self.run_it(command, name, "--json")
            prefix = json.loads(answer)["prefix"]
            self.assertEqual((prefix["firstKept"], prefix["purgeJsn"]), (8, 8))
            self.assertEqual(prefix["absent"], [BOB.kid.hex()])
            self.assertEqual(sorted(role for _, role in prefix["signers"]), [1, 2])

    def test_count_operations_behind_a_purge(self) -> None:
        log = a_state_in_the_middle_of_a_fold()
        self.forge = log.forge
        self.write("log", log.log())
        store(self.folder / "files", log.files())
        for command, name in (("log", "log"), ("tiles", "files")):
            status, answer = self.run_it(command, name, "--json")
            self.assertEqual((status, json.loads(answer)["counts"]["operations"]), (0, 36))
        (self.folder / "files" / "snapshot" / "state").unlink()
        self.assertEqual(self.run_it("tiles", "files")[0], 4)

    def test_take_leaves_and_keys_from_what_is_left(self) -> None:
        log = going_on(begun())
        self.forge = log.forge
        self.write("log", log.log())
        self.write("receipt", shown(log.forge, 6)[0])
        name = str(self.folder / "log")
        self.assertEqual(self.run_it("receipt", "receipt", "--genesis", name)[0], 0)
        for first, status in ((9, 0), (7, 4)):
            roots = outside(log.forge.leaf_hashes(), first, 3)
            self.write("range", log.forge.range_receipt(first, 3, roots))
            self.assertEqual(self.run_it("range", "range", "--log", name)[0], status)


class Both(unittest.TestCase):
    """The same logs for tally, which must name the same."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.commands = Commands(cls.folder, os.environ | {"TALLY_AOT": "off"})
        cls.addClassCleanup(cls.commands.close)

    def test_tally_judges_all_of_them_alike(self) -> None:
        for name in RIGHT:
            self.judge(name, built(name), None)
            self.accept_whole(name, built(name).forge)
        for name, (_, jsn, kind, _) in WRONG.items():
            self.judge(name, built(name), (jsn, kind))
        for name, (log, _, _) in hidden().items():
            self.judge(name, log, None)

    def judge(self, name: str, log: Purged, fault: tuple[int, str] | None) -> None:
        (self.folder / f"{name}.log").write_bytes(log.log())
        store(self.folder / name, log.files())
        sources = [("--copy", f"{name}.log"), ("--tiles", name)]
        for source in sources[: 1 if name in OF_COPIES else 2]:
            words = ["audit", log.forge.ledger_id.hex(), *source, "--json"]
            said = self.commands.run(*words, "--trust", f"trust of {name} {source[0]}")
            with self.subTest(name, source=source[0]):
                self.assertEqual(said.status, 4 if fault else 0, said.err or _first(said))
                told = said.json()["audit"]
                if fault is None:
                    self.same(told, of_copy(log) if source[0] == "--copy" else of_files(log))
                    continue
                first = told["faults"][0]
                self.assertEqual((first["jsn"], first["kind"]), fault, first)

    def accept_whole(self, name: str, forge: Forge) -> None:
        """The log with all that went, in which the snapshot is compared."""
        (self.folder / f"{name}.whole").write_bytes(forge.log())
        said = self.commands.run(
            "audit", forge.ledger_id.hex(), "--copy", f"{name}.whole", "--trust", "none"
        )
        with self.subTest(name, source="whole"):
            self.assertEqual(said.status, 0, said.out)

    def same(self, told: dict[str, Any], found: Report) -> None:
        """Both count the same."""
        prefix, removals = found.prefix, told["removals"]
        assert prefix is not None
        want = [prefix.first_kept, prefix.shown.purge.jsn]
        self.assertEqual(list(removals["prefix"].values()), want)
        counted_there = [removals[name] for name in ("count", "journals", "present")]
        self.assertEqual(counted_there, [found.occults, found.occulted, found.present])
        standing = [one for one in removals["purges"] if one["recalledJsn"] < 0]
        self.assertEqual(len(standing), found.purges)
        self.assertEqual({name: told["counts"][name] for name in found.counts}, found.counts)

    def test_tally_joins_smaller_heads_as_well(self) -> None:
        log = going_on(begun())
        forge = log.forge
        fork = deepcopy(forge)
        fork.entries, fork.height, fork.first_jsn = fork.entries[:2], 1, 2
        fork.previous, fork.time_ms = fork.leaf_hashes()[-1], fork.time_ms - 4000
        store(self.folder / "files", log.files())
        (self.folder / "copy").write_bytes(log.log())
        for size in (4, 6, 8):
            fork.submit([BOB], [fork.request(b"fork")]).seal()
            right = deepcopy(forge)
            right.entries = right.entries[:size]
            of_files(log, head(right, size))
            self.assertEqual(self.trusting(right, "--tiles", "files"), 0)
            self.assertEqual(self.trusting(fork, "--tiles", "files"), size - 1)
            with self.assertRaises(Fault) as caught:
                of_files(log, head(fork, size))
            self.assertEqual(caught.exception.jsn, size - 1)
        self.assertEqual(self.trusting(fork, "--copy", "copy"), 7)
        right.entries = right.entries[:6]
        self.assertEqual(self.trusting(right, "--copy", "copy", status=7), None)

    def trusting(self, forge: Forge, *source: str, status: int = 0) -> int | None:
        """The jsn that is named to an auditor who trusts the newest head of a forge, or 0."""
        trust = Path(tempfile.mkdtemp(dir=self.folder))
        kept = trust / forge.ledger_id.hex()
        kept.mkdir()
        (kept / "genesis").write_bytes(forge.params)
        (kept / "head-0").write_bytes(forge.checkpoint())
        words = ["audit", forge.ledger_id.hex(), *source, "--trust", trust, "--json"]
        said = self.commands.run(*words)
        if status:
            self.assertEqual(said.status, status)
            return None
        faults = said.json()["audit"]["faults"]
        if not faults:
            return 0
        self.assertEqual(faults[0]["kind"], "TRUSTED_HEAD_CONTRADICTED")
        return faults[0]["jsn"]


def _first(said: Said) -> str:
    """The first fault that tally names, if it names one."""
    return str(said.json()["audit"]["faults"][:1])


if __name__ == "__main__":
    unittest.main()
