"""Show a log that a service serves, and tampered twins of it, to the fsck of transparency-dev/tessera.

usage: verify_served_tiles.py FSCK LOG URL

LOG is an export of that log at its newest size; beside it is its verifier key, LOG.vkey, whose
origin says where under URL the service serves it. The export only says what there is to change:
every byte fsck gets, but those of the one changed file, comes from the service.
"""

import http.server
import pathlib
import sys
import tempfile
import threading
import urllib.error
import urllib.request

import cases
import verify_tiles

SECONDS_MAX = 30


class Between(http.server.ThreadingHTTPServer):
    """Answers as what is served under a URL does, but for one file that may be another or none.

    Each change has a URL of its own: what is late from the turn before is not taken for an answer.
    """

    daemon_threads = True

    def __init__(self, served):
        super().__init__(("127.0.0.1", 0), Answering)
        self.served, self.turn = served, 0
        self.change(None, None)

    def url(self):
        return f"http://127.0.0.1:{self.server_port}/{self.turn}/"

    def change(self, file, content):
        """From now on answer so for that file; with None for the content, that there is none."""
        self.turn += 1
        self.file, self.content, self.asked = file, content, set()


class Answering(http.server.BaseHTTPRequestHandler):
    """One connection of fsck's."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True  # fsck ends at the first fault and waits for no other answer

    def do_GET(self):
        turn, _, path = self.path.removeprefix("/").partition("/")
        if turn != str(self.server.turn):
            self._answer(404, b"")
            return
        self.server.asked.add(path)
        if path == self.server.file:
            content = self.server.content
            self._answer(404 if content is None else 200, content or b"")
            return
        try:
            url = self.server.served + path
            with urllib.request.urlopen(url, timeout=SECONDS_MAX) as answer:
                self._answer(answer.status, answer.read())
        except urllib.error.HTTPError as e:
            self._answer(e.code, e.read())

    def _answer(self, status, content):
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format, *args):
        """Nothing: fsck says what it saw."""


def twins(fsck, log, key, between, scratch):
    """The log as it is served with each change, one after the other."""
    for words, file, content in verify_tiles.changes(log):
        path = str(file.relative_to(log))
        between.change(path, content)
        yield words, (fsck, between.url(), key)
        if path not in between.asked:
            sys.exit(f"fsck never asked for {path}")
    between.change(None, None)
    yield "the key of another", (fsck, between.url(), verify_tiles.other_key(key, scratch))


def main():
    fsck, log, url = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    key = log.with_name(f"{log.name}.vkey")
    _, place = key.read_text(encoding="ascii").split("+")[0].split("/", 1)
    served = f"{url}/{place}/"
    tally = cases.Tally("tessera/fsck over HTTP")
    between = Between(served)
    threading.Thread(target=between.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as scratch:
        tally.judge("the served log", verify_tiles.check, (fsck, served, key), ())
        faked = twins(fsck, log, key, between, pathlib.Path(scratch))
        good = (fsck, between.url(), key)
        tally.judge("the served log through another", verify_tiles.check, good, faked)
    tally.finish()


if __name__ == "__main__":
    main()
