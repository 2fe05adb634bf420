"""Show exported logs, and tampered twins of them, to the fsck of transparency-dev/tessera.

verify_served_tiles.py shows it a log that a service serves.

usage: verify_tiles.py FSCK FOLDER

FOLDER has exports NAME, each a folder, and beside each its verifier key NAME.vkey.
"""

import base64
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import cases

SECONDS_MAX = 120
LEAVES = "tile/entries"

# One that compares fewer tiles at a time waits for ever behind as many wrong ones.
WORKERS = "8"

SUCCESS = re.compile(r"Successfully fsck'd log with size (\d+) and root (\S+) ")


def check(fsck, url, key):
    """Whether fsck accepts the log under the URL, at the size and root its checkpoint states.

    Its exit status tells nothing, and an answer that says neither ends everything: a crash or a
    hang is no refusal. So does another size or root than stated.
    """
    run = subprocess.run(
        [fsck, "-ui=false", "-N", WORKERS, f"-storage_url={url}", f"-public_key={key}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    found = SUCCESS.search(run.stderr)
    failed = "fsck failed: " in run.stderr
    if bool(found) == failed:
        sys.exit(f"fsck says neither or both of {url}:\n{run.stderr}")
    if failed:
        return False
    stated = head(url)
    if found.groups() != stated:
        sys.exit(f"fsck accepts {found.groups()} of {url}, which states {stated}")
    return True


def head(url):
    """The size and root that the checkpoint under the URL states, None if there is none."""
    try:
        with urllib.request.urlopen(f"{url}checkpoint", timeout=SECONDS_MAX) as checkpoint:
            lines = checkpoint.read().decode("utf-8").split("\n")
    except urllib.error.URLError:
        return None
    return lines[1], lines[2]


def url_of(folder):
    """The URL of a folder, as `check` wants it."""
    return f"{folder.as_uri()}/"


def size(log):
    return int((log / "checkpoint").read_text(encoding="utf-8").split("\n")[1])


def newest(log, kind, items):
    """The file that has the last of so many items."""
    number, width = divmod(items - 1, 256)
    width += 1
    path = f"{log}/{kind}/"
    for group in (number // 1_000_000, number // 1000):
        if group:
            path += f"x{group % 1000:03}/"
    path += f"{number % 1000:03}"
    return pathlib.Path(path if width == 256 else f"{path}.p/{width}")


def flipped(content, at):
    twin = bytearray(content)
    twin[at] ^= 1
    return bytes(twin)


def other_signature(note):
    """The note with one bit of its last signature changed; the line is still right base64."""
    words, _, signature = note.rstrip(b"\n").rpartition(b" ")
    return words + b" " + base64.b64encode(flipped(base64.b64decode(signature), -20)) + b"\n"


def swapped(content):
    """A bundle whose last two entries stand the other way round."""
    entries = []
    while content:
        length = 2 + int.from_bytes(content[:2], "big")
        entries.append(content[:length])
        content = content[length:]
    entries[-2:] = entries[:-3:-1]
    return b"".join(entries)


def changes(log):
    """What is changed: (words, file, its new content or None if it is taken away)."""
    leaves = size(log)
    levels = [leaves]
    while levels[-1] >= 256:
        levels.append(levels[-1] // 256)
    for level, hashes in enumerate(levels):
        ends = {newest(log, f"tile/{level}", hashes)}
        if hashes > 256:
            ends |= {newest(log, f"tile/{level}", 1 + (hashes // 512) * 256 + 255)}
        for file in sorted(ends):
            tile = file.read_bytes()
            yield f"a flipped bit at the start of {file}", file, flipped(tile, 0)
            yield f"a flipped bit at the end of {file}", file, flipped(tile, -1)
            yield f"a hash less in {file}", file, tile[:-32]
            yield f"no {file}", file, None
    for items in sorted({leaves, min(leaves, 256)}):
        file = newest(log, LEAVES, items)
        bundle = file.read_bytes()
        yield f"a flipped bit in the first leaf of {file}", file, flipped(bundle, 2)
        yield f"a flipped bit in the last leaf of {file}", file, flipped(bundle, -1)
        yield f"two leaves of {file} swapped", file, swapped(bundle)
        yield f"no {file}", file, None
    file = log / "checkpoint"
    note = file.read_bytes()
    text, root = note.index(b"\n") + 1, note.index(b"\n\n") - 5
    yield "another size", file, note[:text] + b"1" + note[text:]
    yield "another root", file, flipped(note, root)
    yield "another signature", file, other_signature(note)
    yield "another origin", file, flipped(note, 0)
    yield "no checkpoint", file, None


def twins(fsck, log, key, scratch):
    """The log with each change, one after the other in the same place."""
    twin = scratch / "twin"
    shutil.copytree(log, twin)
    for words, file, content in changes(log):
        place = twin / file.relative_to(log)
        place.unlink()
        if content is not None:
            place.write_bytes(content)
        yield words, (fsck, url_of(twin), key)
        place.write_bytes(file.read_bytes())
    shutil.rmtree(twin)
    yield "the key of another", (fsck, url_of(log), other_key(key, scratch))


def other_key(key, scratch):
    """A file with a fresh verifier key of the same name."""
    other = scratch / "other.vkey"
    name, _, _ = key.read_text(encoding="ascii").partition("+")
    other.write_text(vkey(name), encoding="ascii")
    return other


def vkey(name):
    """A fresh verifier key of that name, as C2SP signed-note writes it."""
    typed = b"\x01" + Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    key_id = hashlib.sha256(name.encode() + b"\n" + typed).digest()[:4]
    return f"{name}+{key_id.hex()}+{base64.b64encode(typed).decode()}\n"


def main():
    fsck, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    tally = cases.Tally("tessera/fsck")
    for log in sorted(path for path in folder.iterdir() if path.is_dir()):
        key = folder / f"{log.name}.vkey"
        with tempfile.TemporaryDirectory() as scratch:
            faked = twins(fsck, log, key, pathlib.Path(scratch))
            tally.judge(log.name, check, (fsck, url_of(log), key), faked)
    tally.finish()


if __name__ == "__main__":
    main()
