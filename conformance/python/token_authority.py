"""A time-stamp authority by `openssl ts -reply`, in a folder, and behind HTTP as a program.

python3 token_authority.py FOLDER [PORT]: makes the authority in FOLDER if it is not there, with
`root.pem` to trust, and serves it on the loopback until it is interrupted; without a port it only
makes it. POST takes a TimeStampReq and answers with a TimeStampResp.
"""

import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

REQUEST_BYTES_MAX = 64 * 1024
_CONFIG = """
[tsa]
serial = {folder}/serial
signer_cert = {folder}/signer.pem
certs = {folder}/chain.pem
signer_key = {folder}/signer.key
signer_digest = sha256
default_policy = 1.3.6.1.4.1.99999.1
digests = sha256
accuracy = secs:1
ess_cert_id_chain = no
ess_cert_id_alg = sha256
[ca]
basicConstraints = critical,CA:TRUE
[signer]
extendedKeyUsage = critical,timeStamping
"""


def openssl(*arguments: object, data: bytes = b"") -> subprocess.CompletedProcess:
    """What openssl says."""
    command = ["openssl", *map(str, arguments)]
    return subprocess.run(command, input=data, capture_output=True, timeout=60, check=False)


def make(folder: Path) -> None:
    """A root, an intermediate and a signer, with keys of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "tsa.cnf"
    config.write_text(_CONFIG.format(folder=folder.resolve()))
    (folder / "serial").write_text("01\n")
    issuer = ""
    for name, section in (("root", "ca"), ("middle", "ca"), ("signer", "signer")):
        key, cert = folder / f"{name}.key", folder / f"{name}.pem"
        _must("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key)
        ask = ["req", "-new", "-key", key, "-subj", f"/CN={folder.name} {name}"]
        if not issuer:
            extension = ["-addext", "basicConstraints=critical,CA:TRUE"]
            _must(*ask, "-x509", "-days", "30", "-out", cert, *extension)
        else:
            _must(*ask, "-out", folder / "request")
            by = ["-CA", folder / f"{issuer}.pem", "-CAkey", folder / f"{issuer}.key"]
            by += ["-CAcreateserial", "-extfile", config, "-extensions", section]
            _must("x509", "-req", "-in", folder / "request", "-days", "30", "-out", cert, *by)
        issuer = name
    (folder / "chain.pem").write_text((folder / "middle.pem").read_text())
    (folder / "no-chain.pem").write_text((folder / "signer.pem").read_text())


def reply(folder: Path, query: bytes) -> bytes:
    """A TimeStampResp."""
    (folder / "query").write_bytes(query)
    answer = ["ts", "-reply", "-config", folder / "tsa.cnf", "-section", "tsa"]
    _must(*answer, "-queryfile", folder / "query", "-out", folder / "reply")
    return (folder / "reply").read_bytes()


def _must(*arguments: object) -> None:
    done = openssl(*arguments)
    if done.returncode:
        sys.exit(f"openssl {' '.join(map(str, arguments))}: {done.stderr.decode()}")


def serve(folder: Path, port: int) -> None:
    """Answers one question after the other."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = min(int(self.headers["Content-Length"]), REQUEST_BYTES_MAX)
            answer = reply(folder, self.rfile.read(length))
            self.send_response(200)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    HTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    place = Path(sys.argv[1])
    if not (place / "root.pem").exists():
        make(place)
    if len(sys.argv) > 2:
        serve(place, int(sys.argv[2]))
