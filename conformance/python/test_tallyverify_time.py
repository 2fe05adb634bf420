"""Tokens: what a log's time journals are judged by, with a stand-in and with real tokens."""

import contextlib
import hashlib
import io
import tempfile
import time
import unittest
from pathlib import Path

import token_authority
from forge import Forge
from rules import ALICE, counted, founded
from rules_of_time import previous, stamp
from tallyverify import request
from tallyverify.__main__ import main
from tallyverify.audit import Report, audit
from tallyverify.rejected import Fault, Rejected
from test_tallyverify_pages import example


def stand_in(token: bytes, imprint: bytes) -> int:
    """Of a token that is genTime in 8 bytes and then the imprint."""
    if token[8:] != imprint:
        raise Rejected("TIME_TOKEN_REFUSED", "of another head")
    return int.from_bytes(token[:8], "big")


def token(forge: Forge, gen_time_ms: int, size: int | None = None) -> bytes:
    imprint = hashlib.sha256(forge.head_lines(size or forge.jsn)).digest()
    return gen_time_ms.to_bytes(8, "big") + imprint


def judged(forge: Forge) -> Report:
    log = forge.log()
    return audit(io.BytesIO(log), log[12:44], judge=stand_in)


class StandIn(unittest.TestCase):
    def stamped(self, apart_ms: int, size: int | None = None) -> Forge:
        forge = founded().submit([ALICE]).seal()
        return stamp(forge, token=token(forge, forge.time_ms + apart_ms, size))

    def test_judges_what_is_of_this_head_and_time(self) -> None:
        for apart_ms in (-10_000, 0, 10_000):
            report = judged(self.stamped(apart_ms))
            self.assertEqual((report.time_judged, report.time_unjudged), (1, 0))
            counted["accepted"] += 1

    def test_refuses_another_head_and_another_time(self) -> None:
        for kind, forge in (
            ("TIME_SKEWED", self.stamped(10_001)),
            ("TIME_SKEWED", self.stamped(-10_001)),
            ("TIME_TOKEN_REFUSED", self.stamped(0, size=2)),
        ):
            with self.assertRaises(Fault) as caught:
                judged(forge)
            self.assertEqual((caught.exception.jsn, caught.exception.kind), (4, kind))
            counted["refused"] += 1

    def test_judges_nothing_without_authorities(self) -> None:
        log = self.stamped(50_000).log()
        self.assertEqual(audit(io.BytesIO(log), log[12:44]).time_unjudged, 1)
        counted["accepted"] += 1

    def test_reads_the_worked_examples(self) -> None:
        page = "people-and-time"
        change = request.parse_header(example(page, "time-header")).change
        self.assertEqual(change, request.Time(2, example_root(), None, b"\x30"))
        rotation = request.parse_header(example(page, "rotation-header")).change
        self.assertEqual(rotation.note_key.spki, example(page, "next-note-key"))
        self.assertEqual(rotation.receipt_key.spki, example(page, "next-receipt-key"))


def example_root() -> bytes:
    """Of the note on the page, as its imprint says."""
    header = example("people-and-time", "time-header")
    at = header.index(b"\x02\x58\x20\x41") + 3
    return header[at : at + 32]


class Openssl(unittest.TestCase):
    """A log of now with tokens of openssl's, judged by rfc3161-client."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.authority = self.folder / "authority"
        token_authority.make(self.authority)

    def token(self, forge: Forge) -> bytes:
        lines = self.folder / "lines"
        lines.write_bytes(forge.head_lines(forge.jsn))
        ask = ["ts", "-query", "-data", lines, "-sha256", "-cert"]
        query = token_authority.openssl(*ask).stdout
        (self.folder / "reply").write_bytes(token_authority.reply(self.authority, query))
        made = ["ts", "-reply", "-in", self.folder / "reply", "-token_out"]
        return token_authority.openssl(*made).stdout

    def verify(self, forge: Forge, ca: Path) -> tuple[int, str]:
        log, out = self.folder / "log", io.StringIO()
        log.write_bytes(forge.log())
        ledger_id = forge.ledger_id.hex()
        with contextlib.redirect_stdout(out):
            status = main(["log", str(log), "--ledger", ledger_id, "--tsa-ca", str(ca)])
        return status, out.getvalue()

    def test_judges_real_tokens(self) -> None:
        now = int(time.time() * 1000)
        forge = Forge([ALICE], params={6: now})
        forge.time_ms = now
        forge.genesis()
        first = self.token(forge)
        stamp(forge, token=first)
        status, words = self.verify(forge, self.authority / "root.pem")
        self.assertEqual(status, 0, words)
        self.assertNotIn("NOT JUDGED", words)
        other = self.folder / "other"
        token_authority.make(other)
        status, words = self.verify(forge, other / "root.pem")
        self.assertEqual(status, 4, words)
        self.assertIn("FAILED at jsn 2: TIME_TOKEN_REFUSED", words)
        stamp(forge, previous(forge, 2), token=first)
        status, words = self.verify(forge, self.authority / "root.pem")
        self.assertIn("FAILED at jsn 4: TIME_TOKEN_REFUSED", words)
        counted["accepted"] += 1
        counted["refused"] += 2


if __name__ == "__main__":
    unittest.main()
