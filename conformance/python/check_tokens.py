"""Time-stamp tokens of others, judged by others and by our own check, which must agree.

check_tokens.py TIMESTAMP-SERVER WORK COMMAND…: the tokens are of sigstore's timestamp-server and of
`openssl ts -reply`, asked with our own questions; the judges are `openssl ts -verify`, the library
rfc3161-client and our TokenCheck, which COMMAND starts and `tally audit --tsa-ca` uses too.
"""

import hashlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import token_authority
from cases import Tally
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from tallyverify.rejected import Rejected
from tallyverify.tokens import Authorities

START_SECONDS = 30

# What our own check must name.
REASONS = {
    "another imprint": "WRONG_IMPRINT",
    "a flipped bit in its signature": "BAD_SIGNATURE",
    "its imprint moved with it": "BAD_SIGNATURE",
    "no chain": "NO_CHAIN",
}


class OwnCheck:
    """Our TokenCheck: one line for one task."""

    def __init__(self, command: list[str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1)

    def __call__(self, *words: object) -> str:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise SystemExit("our token check ended")  # which is no refusal
        return answer


@dataclass(frozen=True)
class Stamped:
    """A token, the imprint it was asked for in hex, and the root of its authority."""

    name: str
    token: bytes
    imprint: str
    root: Path


def by_sigstore(own: OwnCheck, program: str, folder: Path, *more: str) -> Stamped:
    """A token of timestamp-server, with keys of its own in memory.

    It always serves metrics at port 2112, so only one runs at a time.
    """
    folder.mkdir()
    port = _free_port()
    command = [program, "serve", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--timestamp-signer", "memory", "--disable-ntp-monitoring", *more]
    with (folder / "log").open("wb") as log, _running(command, log):
        at = f"http://127.0.0.1:{port}/api/v1/timestamp"
        chain = x509.load_pem_x509_certificates(_answer(f"{at}/certchain"))
        root = next(each for each in chain if each.subject == each.issuer)
        (folder / "root.pem").write_bytes(root.public_bytes(Encoding.PEM))
        return _stamped(own, folder, at)


def by_openssl_ts(own: OwnCheck, folder: Path, chain: bool) -> Stamped:
    """A token of openssl ts -reply, behind its few lines of HTTP."""
    token_authority.make(folder)
    if not chain:
        (folder / "chain.pem").write_bytes((folder / "signer.pem").read_bytes())
    port = _free_port()
    command = [sys.executable, token_authority.__file__, str(folder), str(port)]
    with (folder / "log").open("wb") as log, _running(command, log):
        return _stamped(own, folder, f"http://127.0.0.1:{port}")


@contextmanager
def _running(command: list[str], log: IO[bytes]) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _answer(url: str, query: bytes | None = None) -> bytes:
    """Of a server that may still be starting."""
    ask = urllib.request.Request(url, query, {"Content-Type": "application/timestamp-query"})
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            with urllib.request.urlopen(ask, timeout=10) as answer:
                return answer.read()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def _stamped(own: OwnCheck, folder: Path, url: str) -> Stamped:
    imprint = hashlib.sha256(folder.name.encode()).hexdigest()
    query, response, token = (folder / name for name in ("ask", "answer", "token"))
    own("query", imprint, query)
    response.write_bytes(_answer(url, query.read_bytes()))
    said = own("token", response, token)
    if said != "granted":
        raise SystemExit(f"{folder.name}: {said}")
    return Stamped(folder.name, token.read_bytes(), imprint, folder / "root.pem")


def twins(good: Stamped, other: Path) -> Iterator[tuple[str, tuple]]:
    """The same, changed in one way each."""
    token, imprint, root = good.token, good.imprint, good.root
    another = hashlib.sha256(b"another").hexdigest()
    yield "another imprint", (token, another, root)
    yield "another CA", (token, imprint, other)
    yield "a flipped bit in its signature", (_flipped(token, len(token) - 1), imprint, root)
    at = token.index(bytes.fromhex(imprint))
    yield "a flipped bit in its imprint", (_flipped(token, at), imprint, root)
    moved = bytes([token[at] ^ 1]) + bytes.fromhex(imprint)[1:]
    yield "its imprint moved with it", (_flipped(token, at), moved.hex(), root)
    seconds = token.index(b"Z", at) - 1
    yield "a flipped bit in its time", (_flipped(token, seconds), imprint, root)
    yield "a byte less", (token[:-1], imprint, root)


def _flipped(token: bytes, at: int) -> bytes:
    return token[:at] + bytes([token[at] ^ 1]) + token[at + 1 :]


def main() -> int:
    program, work, command = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    own = OwnCheck(command)
    try:
        whole = [
            by_sigstore(own, program, work / "sigstore", "--include-chain-in-response"),
            by_openssl_ts(own, work / "openssl", chain=True),
        ]
        cut = [
            by_sigstore(own, program, work / "sigstore-cut"),
            by_openssl_ts(own, work / "openssl-cut", chain=False),
        ]
        return judge(own, work, whole, cut)
    finally:
        own.process.kill()
        own.process.wait()


def judge(own: OwnCheck, work: Path, whole: list[Stamped], cut: list[Stamped]) -> int:
    """Shows every token to every judge; those of `cut` are without their chain."""
    file = work / "shown"

    def by_openssl(token: bytes, imprint: str, root: Path) -> bool:
        file.write_bytes(token)
        verify = ["ts", "-verify", "-token_in", "-in", file, "-digest", imprint, "-CAfile", root]
        return token_authority.openssl(*verify).returncode == 0

    def by_library(token: bytes, imprint: str, root: Path) -> bool:
        try:
            Authorities(root.read_bytes()).gen_time_ms(token, bytes.fromhex(imprint))
        except Rejected:
            return False
        return True

    def by_own(token: bytes, imprint: str, root: Path) -> bool:
        file.write_bytes(token)
        return own("check", file, imprint, root).startswith("accepted ")

    def names_the_reason(change: tuple[str, tuple]) -> bool:
        what, (token, imprint, root) = change
        file.write_bytes(token)
        said = own("check", file, imprint, root)
        if REASONS.get(what, "") in said:
            return True
        print(f"FAILED our token check: {what}: {said}", file=sys.stderr)
        return False

    judges: list[tuple[str, Callable[..., bool]]] = [
        ("openssl ts", by_openssl),
        ("rfc3161-client", by_library),
        ("our token check", by_own),
    ]
    well = True
    for name, check in judges:
        tally = Tally(name)
        for good, short in zip(whole, cut, strict=True):
            other = next(each.root for each in whole if each is not good)
            changed = list(twins(good, other))
            changed.append(("no chain", (short.token, short.imprint, short.root)))
            shown = (good.token, good.imprint, good.root)
            tally.judge(f"a token by {good.name}", check, shown, changed)
            well &= check is not by_own or all(map(names_the_reason, changed))
        well &= tally.end()
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
