"""Public files: a log must be judged as when it was saved, and every twin of the files refused."""

import functools
import http.server
import io
import json
import random
import shutil
import tempfile
import threading
import unittest
from collections.abc import Callable
from pathlib import Path

import effort
from forge import Forge
from forge_bytes import cbor, prefixed, root
from forge_tiles import Files, items, published, store
from rules import ALICE, BOB, allowed, batch, counted, forged, founded
from rules_of_state import delete, kept, put, writing
from tallyverify.audit import Report, audit, audit_files
from tallyverify.receipt import Head
from tallyverify.rejected import Fault
from tallyverify.tiles import Folder, Web
from test_tallyverify import CommandCase, flipped

SEED = 20261126
FLIPS = effort.of(60, 600)

# What files cannot have: another form of a saved log, its receipt, words about bodies.
OF_SAVED_LOGS = {"LOG_MALFORMED", "LOG_TRUNCATED", "HEAD_MISSING", "HEAD_INVALID"}
OF_SAVED_LOGS |= {"BODY_DAMAGED", "BODY_UNEXPECTED"}

Twin = tuple[str, Files, int, str]


class Held:
    """Files in memory, and which of them were asked for."""

    def __init__(self, files: Files) -> None:
        self.files, self.asked = files, set()

    def read(self, path: str, most: int) -> bytes | None:
        self.asked.add(path)
        content = self.files.get(path)
        return None if content is None else content[: most + 1]


@functools.cache
def long() -> Forge:
    """615 leaves in three files; the batches of 13 to 312 and 314 to 613 go over their borders."""
    forge = kept()
    for name in "xy":
        requests = [
            writing(forge, put(f"{name}{i}"), delete(f"{i}")) if i % 3 else forge.request(b"%d" % i)
            for i in range(300)
        ]
        forge.submit([ALICE, BOB], requests).seal()
    return forge


@functools.cache
def long_files() -> Files:
    return published(long().log())


def with_items(path: str, change: Callable[[list[bytes]], None]) -> Files:
    """The long log's files with other items in one of them."""
    changed = items(long_files()[path])
    change(changed)
    return with_file(path, b"".join(map(prefixed, changed)))


def with_file(path: str, content: bytes | None) -> Files:
    """The long log's files with one that is another, or missing."""
    assert path in long_files()
    others = {name: data for name, data in long_files().items() if name != path}
    return others if content is None else others | {path: content}


def lettered(note: bytes, at: int) -> bytes:
    """With another letter, so that what was base64 still is."""
    return note[:at] + (b"A" if note[at : at + 1] != b"A" else b"B") + note[at + 1 :]


def replacing(at: int, new: Callable[[bytes], bytes]) -> Callable[[list[bytes]], None]:
    def change(found: list[bytes]) -> None:
        assert found[at] and new(found[at]) != found[at]
        found[at] = new(found[at])

    return change


def swapping(one: int, other: int) -> Callable[[list[bytes]], None]:
    def change(found: list[bytes]) -> None:
        assert found[one] != found[other]
        found[one], found[other] = found[other], found[one]

    return change


def twins_of_operations() -> list[Twin]:
    """One thing changed about the operations of the second file: leaves 256 to 511."""
    path = "tile/ops/001"
    good = long_files()[path]
    first = items(good)
    at = next(i for i, ops in enumerate(first) if ops) + 3  # and at + 1; none at + 2
    jsn = 256 + at
    assert first[at] and first[at + 1] and not first[at + 2]
    alone = cbor([[7, 2, b"0", None, 0, None]])
    return [
        ("a key", with_items(path, replacing(at, lambda ops: ops.replace(b"x", b"w"))), jsn,
         "OPERATIONS_MISMATCH"),
        ("an action", with_items(path, replacing(at, lambda ops: ops.replace(b"\7\2", b"\7\1"))),
         jsn, "OPERATIONS_MISMATCH"),
        ("one left out",
         with_items(path, replacing(at, lambda ops: b"\x81" + ops[ops.rindex(b"\x86") :])), jsn,
         "OPERATIONS_MISMATCH"),
        ("all left out", with_items(path, replacing(at, lambda ops: b"")), jsn,
         "OPERATIONS_MISSING"),
        ("two swapped", with_items(path, swapping(at, at + 1)), jsn, "OPERATIONS_MISMATCH"),
        ("moved to the next", with_items(path, swapping(at + 1, at + 2)), jsn + 1,
         "OPERATIONS_MISSING"),
        ("moved to the one before", with_items(path, swapping(at - 1, at)), jsn - 1,
         "OPERATIONS_MISMATCH"),
        ("given to a seal", with_items(path, lambda found: found.__setitem__(313 - 256, alone)),
         313, "OPERATIONS_MISMATCH"),
        ("those of another file", with_file(path, long_files()["tile/ops/000"]), 257,
         "OPERATIONS_MISSING"),
        ("cut short", with_file(path, good[:-1]), 256, "LOG_MALFORMED"),
        ("cut behind an item", with_items(path, lambda found: found.pop()), 256, "LOG_MALFORMED"),
        ("an item more", with_file(path, good + bytes(4)), 256, "LOG_MALFORMED"),
        ("a length above all bounds", with_file(path, b"\xff" + good[1:]), 256, "LOG_MALFORMED"),
        ("nothing", with_file(path, b""), 256, "LOG_MALFORMED"),
        ("no file", with_file(path, None), 256, "LOG_TRUNCATED"),
    ]


def twins_of_the_rest() -> list[Twin]:
    """Files that are missing or of another form, attestations, bodies, hash tiles, checkpoint."""
    files = long_files()
    twins: list[Twin] = []
    for path, jsn in (
        ("tile/entries/000", 0), ("tile/attest/001", 256), ("bodies/001", 256),
        ("tile/entries/002.p/103", 512), ("tile/ops/002.p/103", 512), ("tile/0/000", 256),
        ("tile/0/001", 512), ("tile/0/002.p/103", 615), ("tile/1/000.p/2", 615),
    ):
        good = files[path]
        twins.append((f"no {path}", with_file(path, None), jsn, "LOG_TRUNCATED"))
        twins.append((f"{path} cut", with_file(path, good[:-1]), jsn, "LOG_MALFORMED"))
        twins.append((f"{path} and a byte", with_file(path, good + b"\0"), jsn, "LOG_MALFORMED"))
        if path.startswith(("tile/0", "tile/1")):
            twins.append((f"{path} flipped", with_file(path, flipped(good, 40, 3)), jsn,
                          "LOG_MALFORMED"))
    attest, bodies = "tile/attest/001", "bodies/001"
    other = items(files["tile/attest/002.p/103"])[0]
    twins += [
        ("no attestation at the border", with_items(attest, replacing(0, lambda _: b"")), 256,
         "LOG_MALFORMED"),
        ("another attestation at the border", with_items(attest, replacing(0, lambda _: other)),
         256, "WRONG_BATCH"),
        ("an attestation behind the border",
         with_items(attest, lambda found: found.__setitem__(1, found[0])), 257, "WRONG_BATCH"),
        ("an erased body", with_items(bodies, replacing(2, lambda _: b"")), 258, "BODY_MISSING"),
        ("less than a salt", with_items(bodies, replacing(2, lambda body: body[:31])), 258,
         "LOG_MALFORMED"),
        ("another value", with_items(bodies, replacing(3, lambda body: body[:-1] + b"!")), 259,
         "BODY_MISMATCH"),
        ("a body of a seal", with_items(bodies, lambda found: found.__setitem__(57, found[0])),
         313, "BODY_UNEXPECTED"),
    ]
    note = files["checkpoint"]
    size, root_at = note.index(b"\n") + 1, note.index(b"\n\n") - 5
    return [
        *twins,
        ("a leaf less", with_file("checkpoint", note[:size] + b"614" + note[size + 3 :]), 512,
         "LOG_TRUNCATED"),
        ("another root", with_file("checkpoint", lettered(note, root_at)), 614, "HEAD_INVALID"),
        ("another signature", with_file("checkpoint", lettered(note, len(note) - 20)), 614,
         "HEAD_INVALID"),
        ("another authority", with_file("checkpoint", note.replace(b"localhost", b"localhos1")),
         614, "HEAD_INVALID"),
        ("another strand", with_file("checkpoint", note.replace(b"/0\n", b"/1\n")), 0,
         "WRONG_LEDGER"),
        ("no place", with_file("checkpoint", note.replace(b"/l/", b"/m/")), 0, "LOG_MALFORMED"),
        ("no note", with_file("checkpoint", note[:-1]), 0, "LOG_MALFORMED"),
        ("no checkpoint", with_file("checkpoint", None), 0, "LOG_TRUNCATED"),
    ]


class PublicFiles(unittest.TestCase):
    def accepted(self, files: Files, ledger_id: bytes, **options: bool) -> Report:
        report = audit_files(Held(files), ledger_id, **options)
        counted["accepted"] += 1
        return report

    def fault(self, files: Files, ledger_id: bytes) -> tuple[int, str]:
        with self.assertRaises(Fault) as caught:
            audit_files(Held(files), ledger_id)
        counted["refused"] += 1
        return caught.exception.jsn, caught.exception.kind

    def test_finds_in_files_what_it_finds_in_the_saved_log(self) -> None:
        logs = {name: build() for name, build in allowed().items()}
        del logs["without_a_checkpoint"]
        logs["long"] = long().log()
        for name, log in logs.items():
            with self.subTest(name):
                report = self.accepted(published(log), log[12:44])
                saved = audit(io.BytesIO(log), log[12:44])
                self.assertTrue(saved.receipt_verified)
                saved.receipt_verified = False
                self.assertEqual(report, saved)

    def test_names_the_first_fault_of_every_log_that_breaks_a_rule(self) -> None:
        shown = 0
        for name, (build, jsn, kind) in forged().items():
            if kind in OF_SAVED_LOGS:
                continue
            with self.subTest(name):
                log = build()
                self.assertEqual(self.fault(published(log), log[12:44]), (jsn, kind))
            shown += 1
        self.assertGreater(shown, 150)

    def test_refuses_every_change_of_operations(self) -> None:
        for name, files, jsn, kind in twins_of_operations():
            with self.subTest(name):
                self.assertEqual(self.fault(files, long().ledger_id), (jsn, kind))

    def test_refuses_every_change_of_other_files(self) -> None:
        for name, files, jsn, kind in twins_of_the_rest():
            with self.subTest(name):
                self.assertEqual(self.fault(files, long().ledger_id), (jsn, kind))

    def test_refuses_flipped_bits_in_every_file(self) -> None:
        log, chance = kept().log(), random.Random(SEED)
        files = published(log)
        self.assertEqual(len(files), 6)
        for path, good in files.items():
            for _ in range(FLIPS // len(files)):
                at, bit = chance.randrange(len(good)), chance.randrange(8)
                with self.subTest(path, at=at, bit=bit):
                    self.fault(files | {path: flipped(good, at, bit)}, log[12:44])

    def test_takes_the_first_items_of_a_file_that_has_grown(self) -> None:
        forge = founded().submit([ALICE], batch(founded(), 20)).seal()
        older = published(forge.log())
        forge.submit([BOB], batch(forge, 300)).seal()
        files = published(forge.log()) | {"checkpoint": older["checkpoint"]}
        self.assertEqual(self.accepted(files, forge.ledger_id).size, 23)
        cut = files | {"tile/attest/000": files["tile/attest/000"][:-1]}
        self.assertEqual(self.fault(cut, forge.ledger_id), (0, "LOG_MALFORMED"))

    def test_asks_for_operations_only_where_there_can_be_some(self) -> None:
        for forge, wanted in ((founded(), False), (kept(), True)):
            held = Held(published(forge.log()))
            audit_files(held, forge.ledger_id)
            self.assertEqual(held.asked, held.files.keys() | {"pseudo-genesis"})
            self.assertEqual(any("ops" in path for path in held.asked), wanted)

    def test_leaves_bodies_out_if_it_is_told_to(self) -> None:
        files = {path: data for path, data in long_files().items() if "bodies" not in path}
        report = self.accepted(files, long().ledger_id, bodies=False)
        self.assertEqual((report.counts["bodies"], report.counts["operations"]), (0, 809))
        self.assertEqual(self.fault(files, long().ledger_id), (0, "LOG_TRUNCATED"))

    def test_refuses_files_that_do_not_continue_a_trusted_head(self) -> None:
        forge, held = long(), Held(long_files())
        audit_files(held, forge.ledger_id, 0, Head(314, root(forge.leaf_hashes(314))))
        with self.assertRaises(Fault) as caught:
            audit_files(held, forge.ledger_id, 0, Head(314, bytes(32)))
        fault = caught.exception
        self.assertEqual((fault.jsn, fault.kind), (313, "TRUSTED_HEAD_CONTRADICTED"))
        counted["refused"] += 1


class _Server(http.server.BaseHTTPRequestHandler):
    """Serves files; of one it sends half of what it announces, of another it says it failed."""

    files: Files = {}
    half = failing = ""

    def do_GET(self) -> None:
        path = self.path.removeprefix("/log/")
        content = self.files.get(path)
        failed = 500 if path == self.failing else 200
        self.send_response(404 if content is None else failed)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        sent = len(content or b"") // (2 if path == self.half else 1)
        self.wfile.write((content or b"")[:sent])

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


class Served(CommandCase):
    def setUp(self) -> None:
        super().setUp()
        self.forge = kept()
        self.handler = type("Handler", (_Server,), {"files": published(self.forge.log())})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}/log"
        store(self.folder / "public", self.handler.files)

    def tiles(self, where: str, *more: str) -> tuple[int, str]:
        return self.run_it("tiles", where, *more)

    def test_audits_a_folder_and_a_web_server(self) -> None:
        for where in ("public", self.url, f"{self.url}/"):
            status, words = self.tiles(where)
            self.assertEqual(status, 0, words)
            self.assertIn("PASSED: 13 leaves", words)
            self.assertIn("'operations': 9", words)
        answer = json.loads(self.tiles("public", "--json", "--no-bodies")[1])
        self.assertEqual((answer["receiptVerified"], answer["bodiesVerified"]), (False, False))
        self.assertIn("NOT CHECKED", self.tiles("public", "--no-bodies")[1])

    def test_names_what_is_missing_or_another(self) -> None:
        for where in ("nowhere", self.url + "x"):
            words = self.tiles(where)[1]
            self.assertIn("FAILED at jsn 0: LOG_TRUNCATED: there is no checkpoint", words)
        ops = "tile/ops/000.p/13"
        (self.folder / "public" / ops).unlink()
        self.assertEqual(self.tiles("public"), (
            4, f"FAILED at jsn 0: LOG_TRUNCATED: there is no {ops}\n"))
        self.assertEqual(self.tiles(self.url, "--strand", "1")[0], 4)
        self.assertEqual(self.run_it("tiles", self.url, ledger_id="00" * 32)[0], 4)

    def test_knows_nothing_if_a_server_does_not_deliver(self) -> None:
        for path in ("checkpoint", "tile/ops/000.p/13", "tile/0/000.p/13"):
            self.handler.half, self.handler.failing = path, ""
            self.assertEqual(self.tiles(self.url)[0], 6)
            self.handler.half, self.handler.failing = "", path
            self.assertEqual(self.tiles(self.url)[0], 6)
        self.assertEqual(self.tiles("http://127.0.0.1:1/log")[0], 6)


if __name__ == "__main__":
    unittest.main()
