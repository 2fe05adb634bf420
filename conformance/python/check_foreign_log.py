"""Show a log that Tessera made, and tampered twins of it, to `tally audit --log-key`.

usage: TALLY=COMMAND check_foreign_log.py FOREIGNLOG FSCK SCRATCH

FOREIGNLOG is the program in ../tessera, FSCK tessera's own: it must find the log right first. The
log is audited in a folder and behind a web server; each twin must be refused for what was changed.
"""

import functools
import http.server
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import threading

import cases
import effort
import verify_tiles
from verify_tiles import flipped

SECONDS_MAX = 120
REFUSED = 4
USAGE = 2


def audit(*arguments):
    """The exit status, and the report if there is one."""
    run = subprocess.run(
        [*shlex.split(os.environ["TALLY"]), "audit", *map(str, arguments), "--json"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    if run.returncode not in (0, USAGE, REFUSED):
        sys.exit(f"tally audit ends with {run.returncode}: {run.stderr}")
    return run.returncode, json.loads(run.stdout)["treeAudit"] if run.stdout else run.stderr


def accepts(where, key, earlier, size, wanted, scratch):
    """Whether the audit accepts the log at its size, as what continues the earlier checkpoint.

    If it refuses, then for exactly the reason that is wanted: (kind, entry, words).
    """
    kept = scratch / "kept"
    kept.unlink(missing_ok=True)
    if earlier:
        shutil.copy(earlier, kept)
    status, report = audit(*where, "--log-key", key, "--checkpoint", kept)
    if status == 0:
        return (report["entries"], report["size"], report["levels"]) == (size, size, 3) and (
            report["earlierSize"] < size and not report["faults"])
    kind, entry, words = wanted
    told = [("usage", -1, report)] if status == USAGE else [
        (fault["kind"], fault["entry"], fault["detail"]) for fault in report["faults"]]
    if not any(fault[:2] == (kind, entry) and words in fault[2] for fault in told):
        sys.exit(f"refused, but not as {wanted}: {told}")
    if kept.read_bytes() != earlier.read_bytes() if earlier else kept.exists():
        sys.exit(f"refused as {wanted}, and the head that was kept is another now")
    return False


def changes(log, size):
    """(words, file, its new content or None, what the audit must say)."""
    full, last = "tile/entries/100", f"tile/entries/{size // 256:03}.p/{size % 256}"
    hashes, higher = "tile/0/100", f"tile/1/{size // 65536:03}.p/{size // 256 % 256}"
    first = 256 * 100
    behind = size // 256 * 256

    def change(words, name, how, *wanted):
        file = log / name
        return f"{words} {name}", file, how(file.read_bytes()), wanted

    yield change("a flipped bit in the first entry of", full, lambda b: flipped(b, 2),
                 "WRONG_ENTRY", first, full)
    yield change("a flipped bit in the last entry of", last, lambda b: flipped(b, -1),
                 "WRONG_ENTRY", size - 1, last)
    yield change("two entries swapped in", last, verify_tiles.swapped,
                 "WRONG_ENTRY", size - 2, last)
    yield change("a flipped bit at the start of", hashes, lambda b: flipped(b, 0),
                 "WRONG_TILE", first, hashes)
    yield change("a flipped bit at the end of", hashes, lambda b: flipped(b, -1),
                 "WRONG_TILE", first + 255, hashes)
    yield change("a flipped bit in", "tile/1/000", lambda b: flipped(b, 40),
                 "WRONG_TILE", 65535, "tile/1/000")
    yield change("a flipped bit in", higher, lambda b: flipped(b, 1),
                 "WRONG_TILE", size - 1, higher)
    yield change("a flipped bit in", "tile/2/000.p/1", lambda b: flipped(b, 1),
                 "WRONG_TILE", size - 1, "tile/2/000.p/1")
    for name, entry in ((hashes, first), (higher, size - 1), ("tile/2/000.p/1", size - 1)):
        yield change("no", name, lambda _: None, "LOG_TRUNCATED", entry, f"there is no {name}")
    yield change("a hash less in", hashes, lambda b: b[:-32], "LOG_MALFORMED", first, hashes)
    yield change("no", full, lambda _: None, "LOG_TRUNCATED", first, f"there is no {full}")
    yield change("a byte less in", full, lambda b: b[:-1], "LOG_MALFORMED", first, full)
    yield change("a byte more in", last, lambda b: b + b"\0", "LOG_MALFORMED", behind, last)
    yield change("nothing in", last, lambda _: b"", "LOG_MALFORMED", behind, last)
    yield change("another signature in", "checkpoint", verify_tiles.other_signature,
                 "HEAD_INVALID", -1, "BAD_SIGNATURE")
    yield change("another root in", "checkpoint", lambda b: b.replace(b"\n\n", b"\nx\n\n"),
                 "HEAD_INVALID", -1, "BAD_SIGNATURE")
    yield change("another origin in", "checkpoint", lambda b: b"x" + b,
                 "HEAD_INVALID", -1, "WRONG_ORIGIN")
    yield change("no note in", "checkpoint", lambda b: b[:40], "HEAD_INVALID", -1, "MALFORMED")
    yield change("no", "checkpoint", lambda _: None, "LOG_TRUNCATED", -1, "there is no checkpoint")


def twins(folder, scratch, key, size):
    log, earlier = folder / "log", folder / "earlier"
    twin = scratch / "twin"
    shutil.copytree(log, twin)
    where = ("--tiles", twin)
    shown = set()
    for words, file, content, wanted in changes(log, size):
        if wanted[0] in shown and not effort.LONG:
            continue  # a change of that kind has been shown
        shown.add(wanted[0])
        place = twin / file.relative_to(log)
        place.unlink()
        if content is not None:
            place.write_bytes(content)
        yield words, (where, key, earlier, size, wanted, scratch)
        place.write_bytes(file.read_bytes())
    # A log that was rolled back: all is right but that more was seen before.
    (twin / "checkpoint").write_bytes(earlier.read_bytes())
    yield "an older head than the one kept", (
        where, key, log / "checkpoint", size, ("TRUSTED_HEAD_CONTRADICTED", -1, f"{size}"), scratch)
    shutil.rmtree(twin)
    where = ("--tiles", log)
    named = verify_tiles.vkey(key.split("+")[0]).strip()
    yield "another key of its name", (
        where, named, None, size, ("HEAD_INVALID", -1, "WRONG_KEY"), scratch)
    name, _, rest = key.partition("+")
    yield "the key under another name", (
        where, f"{name}x+{rest}", earlier, size, ("usage", -1, "its name and key have"), scratch)
    yield "half a key", (
        where, key[:-8], earlier, size, ("usage", -1, "verifier key"), scratch)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    foreignlog, fsck, scratch = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    folder = scratch / "made"
    subprocess.run([foreignlog, folder], check=True, capture_output=True, timeout=SECONDS_MAX)
    log = folder / "log"
    key, size = (folder / "log.vkey").read_text().strip(), verify_tiles.size(log)
    if not verify_tiles.check(fsck, verify_tiles.url_of(log), folder / "log.vkey"):
        sys.exit("tessera's fsck refuses the log that tessera made")
    tally = cases.Tally("tally audit --log-key")
    handler = functools.partial(Quiet, directory=log)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = (f"http://127.0.0.1:{server.server_port}",)
        good = (key, folder / "earlier", size, None, scratch)
        tally.judge("behind a web server", accepts, (url, *good), [])
        server.shutdown()
    tally.judge("in a folder", accepts, (("--tiles", log), *good), twins(folder, scratch, key, size))
    shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
