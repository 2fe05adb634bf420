"""Occults: what the verifier counts, also in public files, and what tally says of the same logs."""

import io
import json
import os
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from forge import Forge
from forge_removal import erase, journals, occult, of_clue
from forge_tiles import published
from rules import allowed, counted, forged
from rules_of_removal import BOTH, clued, occulted, watched
from tallyverify import request
from tallyverify.audit import Report, audit, audit_files
from tallyverify.rejected import Fault
from test_tallyverify_tiles import Held

ROOT = Path(__file__).resolve().parents[2]
COMMAND_SECONDS_MAX = 300
# One of each rule, beside a log that keeps them all.
JUDGED_BY_BOTH = ("a_regulator_a_moment_before_thirty_days", "an_occult_of_another_leaf_hash")
JUDGED_BY_BOTH += ("a_clue_with_a_journal_that_was_occulted", "a_body_erased_beside_those_of_a_clue")
JUDGED_BY_BOTH += ("a_purge_that_an_affected_member_did_not_sign", "a_recall_too_late")


def report(forge: Forge) -> Report:
    log = forge.log()
    found = audit(io.BytesIO(log), log[12:44])
    counted["accepted"] += 1
    return found


class Occults(unittest.TestCase):
    def test_counts_what_is_gone(self) -> None:
        found = report(occulted(occulted(watched(), 4, 6), 5))
        self.assertEqual((found.occults, found.occulted, found.present), (2, 3, 0))
        self.assertEqual(found.counts["bodies"], 3)
        forge = clued()
        found = report(erase(occult(forge, of_clue(forge, "a", 0, 7), BOTH).seal(), 5))
        self.assertEqual((found.occults, found.occulted, found.present), (1, 2, 1))

    def test_counts_days_that_only_the_clock_shows(self) -> None:
        for name, by_clock in (
            ("a_regulator_of_thirty_days", 1),
            ("a_regulator_of_thirty_days_by_a_time_journal", 0),
            ("an_occult_of_one_journal", 0),
        ):
            log = allowed()[name]()
            found = audit(io.BytesIO(log), log[12:44])
            self.assertEqual(found.by_clock, by_clock, name)
            counted["accepted"] += 1

    def test_names_an_erased_body_whose_occult_comes_too_late(self) -> None:
        forge = erase(watched(), 4)
        log = forge.log()
        with self.assertRaises(Fault) as caught:
            audit(io.BytesIO(log), log[12:44])
        self.assertEqual((caught.exception.jsn, caught.exception.kind), (4, "BODY_MISSING"))
        counted["refused"] += 1
        report(occult(forge, journals(forge, 4), BOTH).seal())

    def test_public_files_without_bodies_say_who_signed(self) -> None:
        forge = occulted(watched(), 4, 5)
        found = audit_files(Held(published(forge.log())), forge.ledger_id, bodies=False)
        self.assertEqual((found.occults, found.occulted, found.present), (1, 2, 0))
        counted["accepted"] += 1

    def test_reads_what_an_occult_names(self) -> None:
        forge = clued()
        for target in (journals(forge, 4, 6), of_clue(forge, "a", 4, 7)):
            change = request.parse_header(
                forge.request(kind=22, ext=[7, target, "by law"]).header
            ).change
            self.assertEqual(change.basis, "by law")
            if change.clue_id is None:
                self.assertEqual([list(each) for each in change.named], target[1])
            else:
                self.assertEqual([change.clue_id, change.first, change.last], target[1:])


class Both(unittest.TestCase):
    """The same logs for tally, which audits a saved copy without a service."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def tally(self, log: bytes, status: int) -> dict:
        (self.folder / "log").write_bytes(log)
        command = shlex.split(os.environ.get("TALLY", str(ROOT / "tally")))
        trust = str(self.folder / "trust")
        done = subprocess.run(
            [*command, "audit", log[12:44].hex(), "--copy", "log", "--trust", trust, "--json"],
            cwd=self.folder,
            env=os.environ | {"TALLY_AOT": "off", "TALLY_XMX": "256m"},
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS_MAX,
            check=False,
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return json.loads(done.stdout)["audit"]

    def test_tally_names_the_same_fault(self) -> None:
        for name in JUDGED_BY_BOTH:
            build, jsn, kind = forged()[name]
            with self.subTest(name):
                said = self.tally(build(), status=4)
                found = (said["firstFaultyJsn"], said["faults"][0]["kind"])
                self.assertEqual(found, (jsn, kind))

    def test_tally_counts_the_same(self) -> None:
        said = self.tally(allowed()["an_occult_of_a_clue_in_a_range"](), status=0)["removals"]
        self.assertEqual((said["count"], said["journals"], said["present"]), (2, 3, 0))
        self.assertEqual(said["byClock"], 0)
        said = self.tally(allowed()["a_regulator_of_thirty_days"](), status=0)["removals"]
        self.assertEqual(said["byClock"], 1)
        said = self.tally(allowed()["an_occult_of_a_clue_in_a_range"](), status=0)["removals"]
        gone = [occult["gone"] for occult in said["occults"]]
        self.assertEqual(gone, [[[4, 4]], [[5, 6]]])


if __name__ == "__main__":
    unittest.main()
