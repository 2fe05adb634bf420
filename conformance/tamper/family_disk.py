"""Bytes of a data directory changed behind a service's back, and directories put back.

One service writes a ledger for each attack and stops. Its directory is copied, the copy is changed
for all attacks at once, and a second service serves it. Meanwhile the first goes on, for whoever
trusts a later head.
"""

import functools
import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import workshop
from attacks import By, Family, Log, Served, Shown, Verdict
from forge import Signer
from forge_tiles import parts
from stream import Stream
from tallyverify.leaf import GenesisLeaf, parse_leaf

FAMILY = Family("Bytes on disk")
TIMEOUT_SECONDS = 30
EVIDENCE = 4
FIRST, SECOND = 2, 4  # the jsns of each ledger's two journals
SIZE = 6  # when the directory was copied

Change = Callable[[Stream, bytes], None]  # of the stream, for the ledger with this id
CHANGES: dict[str, Change] = {}
WITH_STATE = {"an-operation-on-disk"}
PUT_BACK, GONE_ON, UNTOUCHED = "a-backup-put-back", "a-backup-gone-on-with", "an-untouched-ledger"


def stored(operator: str, jsn: int, kind: str) -> Callable[[Change], Change]:
    """An attack that changes the stream."""

    def add(change: Change) -> Change:
        name = change.__name__.replace("_", "-")
        CHANGES[name] = change

        def shown() -> Shown:
            return served()[name]

        shown.__name__ = change.__name__
        FAMILY.attack(operator, jsn, kind)(shown)
        return change

    return add


def flipped(data: bytes, at: int) -> bytes:
    """With one bit changed."""
    twin = bytearray(data)
    twin[at] ^= 1
    return bytes(twin)


@FAMILY.honest
def an_untouched_ledger() -> Shown:
    return served()[UNTOUCHED]


@stored("changes a byte of a payload", SECOND, "BODY_DAMAGED")
def a_payload_on_disk(stream: Stream, ledger: bytes) -> None:
    journal = stream.journal(ledger, SECOND)
    stream.put_payload(journal, flipped(stream.payload(journal), 40), repair=False)


@stored("changes a byte of a payload and repairs every checksum", SECOND, "BODY_MISMATCH")
def a_payload_and_its_checksums(stream: Stream, ledger: bytes) -> None:
    journal = stream.journal(ledger, SECOND)
    stream.put_payload(journal, flipped(stream.payload(journal), 40))


@stored("changes a salt and repairs every checksum", FIRST, "BODY_MISMATCH")
def a_salt_and_its_checksums(stream: Stream, ledger: bytes) -> None:
    journal = stream.journal(ledger, FIRST)
    stream.put_payload(journal, flipped(stream.payload(journal), 0))


@stored("writes zeros over a payload, its checksum included", SECOND, "BODY_DAMAGED")
def a_payload_of_zeros(stream: Stream, ledger: bytes) -> None:
    journal = stream.journal(ledger, SECOND)
    stream.put_payload(journal, bytes(len(stream.payload(journal))), repair=False)


@stored("writes zeros over a payload and repairs every checksum", SECOND, "BODY_MISMATCH")
def a_payload_of_zeros_and_its_checksums(stream: Stream, ledger: bytes) -> None:
    journal = stream.journal(ledger, SECOND)
    stream.put_payload(journal, bytes(len(stream.payload(journal))))


@stored("swaps the payloads of two journals and repairs every checksum", FIRST, "BODY_MISMATCH")
def two_payloads_on_disk(stream: Stream, ledger: bytes) -> None:
    first, second = (stream.journal(ledger, jsn) for jsn in (FIRST, SECOND))
    payloads = stream.payload(first), stream.payload(second)
    stream.put_payload(first, payloads[1])
    stream.put_payload(second, payloads[0])


@stored("puts an older payload in a newer one's place, checksum and all", SECOND, "BODY_DAMAGED")
def a_payload_written_elsewhere(stream: Stream, ledger: bytes) -> None:
    first, second = (stream.journal(ledger, jsn) for jsn in (FIRST, SECOND))
    stream.put(second, second.item, stream.text(first.item))


@stored("changes a byte of a signature", FIRST, "LOG_DAMAGED")
def a_signature_on_disk(stream: Stream, ledger: bytes) -> None:
    journal = stream.journal(ledger, FIRST)
    text = stream.text(journal.attestation)
    stream.put(journal, journal.attestation, flipped(text, -3), repair=False)


@stored("changes a byte of a signature and repairs every checksum", SECOND, "LOG_DAMAGED")
def a_signature_and_its_checksums(stream: Stream, ledger: bytes) -> None:
    journal = stream.journal(ledger, SECOND)
    text = stream.text(journal.attestation)
    stream.put(journal, journal.attestation, flipped(text, -3))


@stored("changes what a header commits to, and repairs every checksum", SECOND, "LOG_DAMAGED")
def a_header_and_its_checksums(stream: Stream, ledger: bytes) -> None:
    journal = stream.journal(ledger, SECOND)
    header = stream.text(journal.header)
    stream.put(journal, journal.header, flipped(header, len(header) - 10))


@stored(
    "changes the key that an operation writes, and repairs every checksum", SECOND, "LOG_DAMAGED"
)
def an_operation_on_disk(stream: Stream, ledger: bytes) -> None:
    journal = stream.journal(ledger, SECOND)
    text = stream.text(journal.operations)
    stream.put(journal, journal.operations, text.replace(b"seat", b"seal"))


@FAMILY.attack("puts a backup of the directory back", 5, "TRUSTED_HEAD_CONTRADICTED", By.HEAD)
def a_backup_put_back() -> Shown:
    return served()[PUT_BACK]


@FAMILY.attack(
    "puts a backup back and goes on differently", 7, "TRUSTED_HEAD_CONTRADICTED", By.HEAD
)
def a_backup_gone_on_with() -> Shown:
    return served()[GONE_ON]


@functools.cache
def served() -> dict[str, Shown]:
    """What became of each ledger, all of it at once."""
    home = workshop.folder() / "disk"
    home.mkdir()
    (home / "key").write_bytes(Signer("disk").pem())
    (home / "key").chmod(0o600)
    service = workshop.Service(home / "data")
    user = _User(home, service.listening()[0])
    ids = {name: user.ledger(name) for name in (*CHANGES, PUT_BACK, GONE_ON, UNTOUCHED)}
    service.stop()
    shutil.copytree(home / "data", home / "backup")
    stream = Stream(home / "backup")
    for name, change in CHANGES.items():
        change(stream, bytes.fromhex(ids[name]))
    stream.store()
    goes_on, service = workshop.Service(home / "data"), workshop.Service(home / "backup")
    user, trusted = _User(home, goes_on.listening()[0]), {}
    for name in (PUT_BACK, GONE_ON):
        user.run("append", ids[name], "--text", "three", "--key", home / "key")
        trusted[name] = _checkpoint(user.copy(ids[name], f"{name}-before"))
    goes_on.stop()
    grpc, rest = service.listening()
    user = _User(home, grpc)
    user.run("append", ids[GONE_ON], "--text", "another", "--key", home / "key")
    found = {name: user.shown(name, ids[name], rest, trusted.get(name, b"")) for name in ids}
    service.stop()
    return found


@dataclass
class _User:
    """Somebody who uses the service, and trusts each time for the first time."""

    home: Path
    service: str

    def run(self, *words: object, statuses: tuple[int, ...] = (0,)) -> dict:
        trust = self.home / f"trust-{self.service.rpartition(':')[2]}"
        place = ("--service", self.service, "--trust", trust, "--reader-key", self.home / "key")
        said = workshop.commands().run(*words, *place, "--json")
        if said.status not in statuses:
            raise RuntimeError(f"{words}: {said}")
        return said.json() if said.out else {}

    def ledger(self, name: str) -> str:
        """A public ledger with two journals, each in a block of its own."""
        key = ("--key", self.home / "key")
        state = ("--state",) if name in WITH_STATE else ()
        ledger_id = self.run("ledger", "create", name, "--public", *state, *key)["ledgerId"]
        for text in ("one", "two"):
            if state:
                self.run("state", "put", ledger_id, "seat", text, *key)
            else:
                self.run("append", ledger_id, "--text", text, *key)
        return ledger_id

    def copy(self, ledger_id: str, name: str) -> bytes:
        """A saved log; empty if the service says that it is damaged."""
        file = self.home / f"{name}.log"
        self.run("audit", ledger_id, "--save", file, statuses=(0, EVIDENCE))
        return file.read_bytes() if file.exists() else b""

    def shown(self, name: str, ledger_id: str, rest: str, trusted: bytes) -> Shown:
        """The log as it is served, or where the service itself says that it is damaged."""
        copy = self.copy(ledger_id, name)
        if copy:
            return Log(copy, bytes.fromhex(ledger_id), _params(copy), trusted)
        said = self.run("audit", ledger_id, statuses=(EVIDENCE,))["audit"]
        audited = Verdict(said["firstFaultyJsn"], said["faults"][0]["kind"])
        return Served(audited, _damaged(f"{rest}/v1/ledgers/{ledger_id}"))


def _damaged(ledger: str) -> Verdict:
    """The first journal that the REST front calls damaged."""
    for jsn in range(SIZE):
        try:
            with urllib.request.urlopen(f"{ledger}/journals/{jsn}", timeout=TIMEOUT_SECONDS):
                pass
        except urllib.error.HTTPError as e:
            if json.load(e)["code"] == "damaged":
                return Verdict(jsn, "LOG_DAMAGED")
            raise
    return Verdict()


def _checkpoint(copy: bytes) -> bytes:
    return parts(copy)[2]


def _params(copy: bytes) -> bytes:
    leaf = parse_leaf(parts(copy)[1][0].leaf)
    assert isinstance(leaf, GenesisLeaf)
    return leaf.params


FAMILY.prepare = served
