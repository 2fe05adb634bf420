"""What families and judges share: a folder, one process of tally commands, and services."""

import atexit
import functools
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

import tally_commands
from tally_commands import Commands

START_SECONDS_MAX, STOP_SECONDS_MAX = 300, 60
_LISTENING = re.compile(r"Listening on (\S+), REST on (\S+), data in")


@functools.cache
def folder() -> Path:
    """A folder that is removed at the end."""
    held = tempfile.TemporaryDirectory()
    atexit.register(held.cleanup)
    return Path(held.name)


@functools.cache
def commands() -> Commands:
    """The process that runs all tally commands, in that folder; none of them knows a service."""
    process = Commands(folder())
    atexit.register(process.close)
    return process


class Service:
    """A service over a data directory, on free ports of the loopback."""

    def __init__(self, data: Path) -> None:
        self._log = data.with_suffix(".log")
        words = [*tally_commands.service(), "--data", str(data), "--port", "0"]
        environment = os.environ | {"TALLY_AOT": "off", "TALLY_XMX": "256m"}
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                words, env=environment, stdout=log, stderr=subprocess.STDOUT
            )
        atexit.register(self.stop)

    def listening(self) -> tuple[str, str]:
        """Where gRPC and REST are, once it listens."""
        until = time.monotonic() + START_SECONDS_MAX
        while self._process.poll() is None and time.monotonic() < until:
            found = _LISTENING.search(self._log.read_text())
            if found:
                return found[1], found[2]
            time.sleep(0.05)
        raise RuntimeError(f"the service did not start: {self._log.read_text()}")

    def stop(self) -> None:
        """Ends it; twice does no harm."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait(STOP_SECONDS_MAX)
