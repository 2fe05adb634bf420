"""Shows a service to a witness of transparency-dev/witness, and what both sign to Go's readers.

    check_witness.py WITNESS     WITNESS is built from conformance/witness, TALLY is as with-service has it

The witness must cosign a ledger that only grows: a fresh one, a grown one, and one whose service was
started again and asks from the beginning (stale). One that was rolled back to a backup, and one that
went on differently from there (forked), must be refused, and become read-only. It stays so without the
witness until the operator says `tally writable`.
"""

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from cases import Tally

WITNESS = sys.argv[1]
TALLY = shlex.split(os.environ["TALLY"])
WAIT_SECONDS = 60
READ_ONLY = 3


def run(command):
    return subprocess.run([*TALLY, *command, "--json"], text=True, capture_output=True, timeout=WAIT_SECONDS)


def answer(done):
    """What a command said, which must be well."""
    if done.returncode != 0:
        sys.exit(f"{done.args}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


class Service:
    """A service on free ports, over data that may have been another's."""

    def __init__(self, data, *options):
        self.data = data
        for name in ("service.port", "http.port"):
            (data / name).unlink(missing_ok=True)
        self.log = (data.parent / f"{data.name}.log").open("ab")
        command = [*TALLY, "up", "--data", str(data), "--port", "0", *options]
        environment = {**os.environ, "TALLY_AOT": "off"}
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=environment)

    def __enter__(self):
        until = time.monotonic() + WAIT_SECONDS
        while not all(self.read(name) for name in ("service.port", "http.port")):
            if self.process.poll() is not None or time.monotonic() > until:
                sys.exit(f"the service did not start: {Path(self.log.name).read_text()}")
            time.sleep(0.05)
        self.target = f"127.0.0.1:{self.read('service.port')}"
        self.rest = f"http://127.0.0.1:{self.read('http.port')}"
        return self

    def read(self, name):
        file = self.data / name
        return file.read_text().strip() if file.exists() else ""

    def __exit__(self, *failure):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(WAIT_SECONDS)
        self.log.close()

    def tally(self, *command):
        trust = str(self.data.parent / f"trust-{self.data.name}")
        return run([*command, "--service", self.target, "--trust", trust])

    def operator(self, *command):
        return run([*command, "--data", str(self.data)])

    def must(self, *command):
        return answer(self.tally(*command))

    def get(self, path):
        with urllib.request.urlopen(self.rest + path, timeout=WAIT_SECONDS) as answer:
            return answer.read()


class Ledger:
    """One that is public, and its key."""

    def __init__(self, service, home):
        self.key = str(home / "owner.pem")
        subprocess.run([*TALLY, "keygen", self.key], check=True, capture_output=True)
        made = service.must("ledger", "create", "witnessed", "--key", self.key, "--public")
        self.id = made["ledgerId"]
        self.append(service, 1)
        self.verifier = service.must("export", self.id, str(home / "files"))["verifierKey"]

    def append(self, service, count):
        """A batch, which is one block."""
        texts = [word for number in range(count) for word in ("--text", f"journal {number}")]
        service.must("append", self.id, *texts, "--key", self.key)

    def is_read_only(self, service):
        done = service.tally("append", self.id, "--text", "refused", "--key", self.key)
        return done.returncode == READ_ONLY and "read_only" in done.stdout + done.stderr

    def cosigned(self, service):
        return service.get(f"/v1/ledgers/{self.id}/checkpoint?cosigned=true")

    def health(self, service):
        details = json.loads(service.get("/actuator/health"))["components"]["witness"]["details"]
        return details["ledgers"][self.id]


def size(note):
    return int(note.splitlines()[1])


def cosigned_from(ledger, service, wanted):
    """The cosigned checkpoint, once it has that size."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        note = ledger.cosigned(service)
        if size(note) >= wanted or time.monotonic() > until:
            return note
        time.sleep(0.1)


def read_by_go(reader, note, ledger, witness_key, home):
    """Shows a note and tampered forms of it to sumdb/note and formats/log."""
    file = home / "note"
    file.write_bytes(note)
    done = subprocess.run(
        [WITNESS, "verify", str(file), ledger.verifier, witness_key], text=True, capture_output=True)
    if done.returncode == 0:
        reader.accepted += 1
        reader.refused += int(done.stdout.split()[0])
        return True
    reader.failed += 1
    print(f"FAILED {reader.name}: {done.stderr}", file=sys.stderr)
    return False


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def check(home, process, port, logs):
    key = process.stdout.readline().strip()
    witness, reader = Tally("transparency-dev/witness"), Tally("sumdb/note and formats, cosigned")
    data, older = home / "data", home / "older"
    data.mkdir()
    with Service(data) as service:
        ledger = Ledger(service, home)
    logs.write_text(ledger.verifier + "\n")
    shutil.copytree(data, older)
    asked = ("--witness", f"{key} http://127.0.0.1:{port}", "--witness-ledger", ledger.id,
             "--witness-interval", "1")

    def cosigns(service, wanted):
        note = cosigned_from(ledger, service, wanted)
        return size(note) == wanted and read_by_go(reader, note, ledger, key, home)

    with Service(data, *asked) as service:
        witness.judge("a fresh ledger", cosigns, (service, 4), ())
        ledger.append(service, 2)

        def audited(vkey):
            files = f"{service.rest}/l/{ledger.id}/0"
            return service.tally("audit", files, "--witness", vkey).returncode == 0

        def twins():
            yield "the key of another witness", (stranger(),)

        witness.judge("a grown ledger", cosigns, (service, 7), ())
        witness.judge("an audit that demands it", audited, (key,), twins())
    with Service(data, *asked) as service:
        witness.judge("a service started again", cosigns, (service, 7), ())

    with Service(older, *asked) as service:
        refuse(witness, "a ledger rolled back", ledger, service, 7)
    with Service(older) as service:
        witness.judge("without its witness", ledger.is_read_only, (service,), ())
        lifted = answer(service.operator("writable", ledger.id))
        witness.judge("made writable", lambda told: told["wasReadOnly"], (lifted,), ())
        ledger.append(service, 4)
    with Service(older, *asked) as service:
        refuse(witness, "a forked ledger", ledger, service, 7)
    return all([witness.end(), reader.end()])


def stranger():
    """A witness' key of which nobody has the secret."""
    made = subprocess.run([WITNESS, "key"], text=True, capture_output=True, check=True)
    return made.stdout.strip()


def refuse(witness, what, ledger, service, seen):
    if ledger.is_read_only(service) and ledger.health(service).get("seenSize") == seen:
        witness.refused += 1
    else:
        witness.failed += 1
        print(f"FAILED {witness.name}: {what}: {ledger.health(service)}", file=sys.stderr)


def main():
    home = Path(tempfile.mkdtemp())
    logs, port = home / "logs", free_port()
    logs.touch()
    process = subprocess.Popen([WITNESS, "serve", str(port), str(logs)], stdout=subprocess.PIPE, text=True)
    try:
        well = check(home, process, port, logs)
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(home)
    sys.exit(0 if well else 1)


main()
