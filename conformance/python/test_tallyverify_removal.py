"""Removals by docs/formats/removal.md: the golden vectors, and bent bytes of the page's examples."""

import json
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from tallyverify import keychain, removal, request
from tallyverify.rejected import Rejected
from test_tallyverify_pages import example

VECTORS = (
    Path(__file__).resolve().parents[2] / "ledger-testkit/src/test/resources/vectors"
)
BY_HAND = Path(__file__).resolve().parent / "by_hand_certificate.py"
ROLES = {1: "owner", 2: "regulator", 3: "normal", 4: "read_only", 5: "verify_only"}
# Reasons that the pages leave open: a signature over other bytes is bad in one way or the other.
ALIKE = {("COMMITMENT_MISMATCH", "BAD_SIGNATURE"), ("MALFORMED", "WRONG_JSN")}


def signers(members: list[keychain.ShownMember]) -> list[list[str]]:
    return [[member.key.kid.hex(), ROLES[member.role]] for member in members]


def certificate(vector: dict[str, Any]) -> dict[str, Any]:
    found = removal.verify(
        bytes.fromhex(vector["file"]), bytes.fromhex(vector["ledger"]), vector["strand"]
    )
    return {
        "removal": found.removal.jsn,
        "kind": found.removal.header.kind,
        "signers": signers(found.signers),
        "doneMs": found.statement.done_ms,
        "first": found.statement.first,
        "count": found.statement.count,
        "targets": [target.jsn for target in found.targets],
        "time": [] if found.time is None else [found.time.jsn],
        "heads": [head.size for head in found.heads],
    }


def pseudo_genesis(vector: dict[str, Any]) -> dict[str, Any]:
    found = removal.pseudo_genesis(
        bytes.fromhex(vector["file"]),
        bytes.fromhex(vector["chain"]),
        bytes.fromhex(vector["ledger"]),
        vector["strand"],
    )
    return {
        "purge": found.purge.jsn,
        "firstKept": found.first_kept,
        "root": found.root.hex(),
        "signers": signers(found.signers),
        "members": signers(sorted(found.members, key=lambda member: member.key.kid)),
        "heads": [head.size for head in found.heads],
    }


def header(vector: dict[str, Any]) -> dict[str, Any]:
    found = request.parse_header(bytes.fromhex(vector["header"]))
    return {"requestHash": found.request_hash.hex(), "kind": vector.get("want", {}).get("kind")}


class Removals(unittest.TestCase):
    def judge(self, topic: str, judge, names: tuple[str, ...] = ("",)) -> None:
        files = [
            file for file in sorted((VECTORS / topic).glob("*.json")) if file.name.startswith(names)
        ]
        self.assertGreater(len(files), 25)
        for file in files:
            vector = json.loads(file.read_text("utf-8"))
            with self.subTest(file.stem):
                if not vector["wantErr"]:
                    self.assertEqual(judge(vector), vector["want"])
                    continue
                with self.assertRaises(Rejected) as caught:
                    judge(vector)
                reason = caught.exception.reason
                if (vector["wantCode"], reason) not in ALIKE:
                    self.assertEqual(reason, vector["wantCode"], caught.exception)

    def test_contents(self) -> None:
        self.judge("request/header", header, ("purge", "occult", "recall"))

    def test_certificates(self) -> None:
        self.judge("removal-certificate", certificate)

    def test_pseudo_geneses(self) -> None:
        self.judge("pseudo-genesis", pseudo_genesis)

    def test_no_bit_of_the_pages_certificate_can_be_flipped(self) -> None:
        ledger_id = example("ledger", "ledger-id")
        self.bent(
            example("removal", "certificate"), lambda file: removal.verify(file, ledger_id, 0)
        )

    def test_no_bit_of_the_pages_pseudo_genesis_can_be_flipped(self) -> None:
        ledger_id = example("ledger", "ledger-id")
        empty = bytes.fromhex("820e80")
        self.bent(
            example("removal", "pseudo-genesis"),
            lambda file: removal.pseudo_genesis(file, empty, ledger_id, 0),
        )

    def bent(self, genuine: bytes, verify) -> None:
        verify(genuine)
        dice = random.Random(27)
        for at in dice.sample(range(len(genuine)), 300):
            wrong = bytearray(genuine)
            wrong[at] ^= 1 << dice.randrange(8)
            with self.assertRaises(Rejected, msg=f"byte {at}"):
                verify(bytes(wrong))

    def test_openssl_alone_verifies_certificates_and_refuses_tampered_ones(self) -> None:
        wanted = {
            "with-a-cosigner": True,
            "of-two-journals-with-a-time-journal": True,
            "of-a-purge": True,
            "with-a-bent-statement": False,
            "with-a-bent-receipt": False,
            "with-a-bent-target": False,
            "with-a-statement-by-the-note-key": False,
            "with-a-statement-of-another-leaf": False,
            "cosigner-stripped": False,
            "by-a-stranger": False,
            "of-an-append": False,
        }
        for name, good in wanted.items():
            path = VECTORS / "removal-certificate" / f"{name}.json"
            vector = json.loads(path.read_text("utf-8"))
            with self.subTest(name), tempfile.NamedTemporaryFile() as file:
                file.write(bytes.fromhex(vector["file"]))
                file.flush()
                done = subprocess.run(
                    [sys.executable, BY_HAND, file.name, vector["ledger"]],
                    capture_output=True,
                    check=False,
                )
                self.assertEqual(done.returncode == 0, good, done.stderr)


if __name__ == "__main__":
    unittest.main()
