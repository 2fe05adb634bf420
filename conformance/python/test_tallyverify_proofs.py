"""Journal proofs by docs/formats/journal-proof.md: the golden vectors, bent bytes, the command."""

import json
import random
import unittest
from pathlib import Path
from typing import Any

from rules import counted
from tallyverify import journalproof
from tallyverify.rejected import Rejected
from test_tallyverify import CommandCase
from test_tallyverify_pages import example

VECTORS = Path(__file__).resolve().parents[2] / "ledger-testkit/src/test/resources/vectors"
# Reasons that the pages leave open: a signature over another hash is bad in one way or the other.
ALIKE = {("COMMITMENT_MISMATCH", "BAD_SIGNATURE")}


def proof(vector: dict[str, Any]) -> dict[str, Any]:
    found = journalproof.verify(
        bytes.fromhex(vector["file"]),
        bytes.fromhex(vector["ledger"]),
        vector["strand"],
        bytes.fromhex(vector["document"]),
    )
    return {
        "jsn": found.journal.jsn,
        "timeMs": found.journal.leaf.time_ms,
        "kind": found.journal.header.kind,
        "signers": [kid.hex() for kid in found.signers],
        "contentType": found.content_type,
        "clues": found.clues,
        "payloadBytes": found.payload_bytes,
        "heads": [head.size for head in found.heads],
    }


class Proofs(unittest.TestCase):
    def test_judges_every_vector_as_it_says(self) -> None:
        files = sorted((VECTORS / "journal-proof").glob("*.json"))
        self.assertGreater(len(files), 60)
        for file in files:
            vector = json.loads(file.read_text("utf-8"))
            with self.subTest(file.stem):
                if not vector["wantErr"]:
                    self.assertEqual(proof(vector), vector["want"])
                    counted["accepted"] += 1
                    continue
                with self.assertRaises(Rejected) as caught:
                    proof(vector)
                reason = caught.exception.reason
                if (vector["wantCode"], reason) not in ALIKE:
                    self.assertEqual(reason, vector["wantCode"], caught.exception)
                counted["refused"] += 1

    def test_no_bit_of_the_pages_proof_can_be_flipped(self) -> None:
        good, document = (example("journal-proof", name) for name in ("journal-proof", "document"))
        ledger_id = example("ledger", "ledger-id")
        found = journalproof.verify(good, ledger_id, 0, document)
        self.assertEqual(found.journal.jsn, 3)
        counted["accepted"] += 1
        dice = random.Random(35)
        for at in range(len(good)):
            twin = bytearray(good)
            twin[at] ^= 1 << dice.randrange(8)
            with self.assertRaises(Rejected, msg=f"byte {at}"):
                journalproof.verify(bytes(twin), ledger_id, 0, document)
            counted["refused"] += 1


class Command(CommandCase):
    def test_answers_with_words_and_a_status(self) -> None:
        self.write("proof", example("journal-proof", "journal-proof"))
        self.write("document", example("journal-proof", "document"))
        self.write("other", b"another")
        ledger_id = example("ledger", "ledger-id").hex()
        for document, wanted, words in (
            ("document", 0, "PASSED: this document of 9 bytes is journal 3"),
            ("other", 4, "FAILED: COMMITMENT_MISMATCH: "),
            ("missing", 6, "tallyverify: "),
        ):
            status, said = self.run_it(
                "proof", "proof", "--payload", str(self.folder / document), ledger_id=ledger_id
            )
            self.assertEqual(status, wanted, said)
            self.assertIn(words, said)


if __name__ == "__main__":
    unittest.main()
