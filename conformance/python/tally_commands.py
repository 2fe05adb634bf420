"""The tally command, and many of its commands in one process.

TALLY names the command, ./tally of this project by default.
"""

import json
import os
import shlex
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MANY = ROOT / "conformance" / "java" / "TallyCommands.java"
_MAIN = "io.tallystick.cli.Tally"


def command() -> list[str]:
    """The words that run one command."""
    return shlex.split(os.environ.get("TALLY", str(ROOT / "tally")))


def service() -> list[str]:
    """The words that run a service, which then starts as fast as ./tally starts it."""
    words = command()
    if words[-1] == _MAIN:
        words[-1:] = ["-Dspring.aot.enabled=true", "-XX:+UseSerialGC", _MAIN]
    return [*words, "up"]


def _many() -> list[str]:
    """The words that run many; of ./tally the build that its first command makes."""
    words = command()
    if words[-1] == _MAIN:
        return [*words[:-1], str(MANY)]
    environment = os.environ | {"TALLY_AOT": "off"}
    subprocess.run([*words, "--version"], env=environment, check=True, stdout=subprocess.DEVNULL)
    found = subprocess.run([ROOT / ".ci" / "jdk25"], check=True, capture_output=True, text=True)
    builds = ROOT / "ledger-cli" / "target" / "run"
    build = builds / (builds / "cli").read_text().strip()
    jars = [str(jar) for jar in build.glob("ledger-cli-*.jar")]
    return [
        f"{found.stdout.strip()}/bin/java",
        "-Xmx256m",
        "-XX:TieredStopAtLevel=1",
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "-cp",
        os.pathsep.join([*jars, f"{build}/lib/*"]),
        str(MANY),
    ]


@dataclass(frozen=True)
class Said:
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        """The object that a command with --json printed."""
        return json.loads(self.out)


class Commands:
    """Runs commands in one process, with one folder and one environment; threads take turns."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self._turn = threading.Lock()
        self._process = subprocess.Popen(
            _many(),
            cwd=folder,
            env=environment or os.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def run(self, *arguments: object) -> Said:
        """One command; none of the arguments has a tab or a newline."""
        words = [str(argument) for argument in arguments]
        if any("\t" in word or "\n" in word for word in words):
            raise ValueError(f"{words}: a tab or a newline in an argument")
        with self._turn:
            return self._run(words)

    def _run(self, words: list[str]) -> Said:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("\t".join(words).encode() + b"\n")
        self._process.stdin.flush()
        head = self._process.stdout.readline().split()
        if len(head) != 3:
            raise RuntimeError(f"{words}: the process ended with {self._process.wait(60)}")
        status, out, err = map(int, head)
        printed, errors = (self._process.stdout.read(count).decode() for count in (out, err))
        return Said(status, printed, errors)

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate(timeout=60)
