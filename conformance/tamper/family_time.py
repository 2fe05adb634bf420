"""Journals dated wrongly, and tokens that say less than they seem to."""

import functools
import tempfile
import time as clock
from pathlib import Path

import token_authority
from attacks import Assumption, Family, Log
from forge import Forge
from rules import ALICE, BOB, founded
from rules_of_time import previous, stamp, time, times_one_behind_the_other

FAMILY = Family("Time")


class Authority:
    """A time-stamp authority of its own, in a folder that is removed at the end."""

    def __init__(self, name: str) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.home = Path(self._folder.name) / name
        token_authority.make(self.home)
        self.pem = (self.home / "root.pem").read_bytes()

    def token(self, lines: bytes) -> bytes:
        """A token about these lines, of now."""
        asked = self.home / "asked"
        self._must(
            "ts", "-query", "-data", self._file("head", lines), "-sha256", "-cert", "-out", asked
        )
        answer = self._file("answer", token_authority.reply(self.home, asked.read_bytes()))
        self._must("ts", "-reply", "-in", answer, "-token_out", "-out", self.home / "token")
        return (self.home / "token").read_bytes()

    def _file(self, name: str, content: bytes) -> Path:
        (self.home / name).write_bytes(content)
        return self.home / name

    @staticmethod
    def _must(*arguments: object) -> None:
        done = token_authority.openssl(*arguments)
        if done.returncode:
            raise RuntimeError(f"openssl {arguments}: {done.stderr.decode()}")


@functools.cache
def independent() -> Authority:
    """The one that the auditor trusts."""
    return Authority("independent")


@functools.cache
def of_the_operator() -> Authority:
    """The operator's own."""
    return Authority("operator")


def founded_now(apart_ms: int = 0) -> Forge:
    """A ledger with a journal; the time of its last block is so far from now."""
    independent(), of_the_operator()  # which takes longer than a token may be off
    now = int(clock.time() * 1000) + apart_ms
    forge = Forge([ALICE, BOB], {6: now})
    forge.time_ms = now
    return forge.genesis().submit([ALICE]).seal(step_ms=0)


def judged(forge: Forge, authority: Authority | None = None) -> Log:
    """Shown to an auditor who has the certificates of an authority."""
    return Log(forge.log(), forge.ledger_id, authorities=(authority or independent()).pem)


def stamped(forge: Forge, authority: Authority | None = None, **about: object) -> Forge:
    """With a time journal about the newest head."""
    token = (authority or independent()).token(forge.head_lines(forge.jsn))
    return stamp(forge, token=token, **about)


FAMILY.honest(times_one_behind_the_other)


@FAMILY.honest
def a_time_journal_of_a_real_authority() -> Log:
    return judged(stamped(founded_now()))


FAMILY.known("time_that_goes_back", "dates a block before the one that it follows")
FAMILY.known("two_times_in_a_block", "dates journals of one block differently")
FAMILY.known("a_request_from_the_future", "dates a journal before its client wrote it")
FAMILY.known("a_request_that_expired", "enters a request that it had held back until it expired")
FAMILY.known("a_window_too_long", "takes a request that it may hold back for too long")
FAMILY.known("founded_long_before", "dates a ledger before its owners founded it")
FAMILY.known("a_time_journal_that_names_none_before", "leaves an earlier time journal out")
FAMILY.known("a_time_journal_that_names_an_older_one", "passes over the newest time journal")
FAMILY.known("a_time_journal_of_another_root", "has a head stamped that its log never had")
FAMILY.known("a_time_journal_of_its_own_block", "stamps a head that it has not sealed yet")


@FAMILY.attack("dates a block behind a token an hour before the token", 4, "TIME_SKEWED")
def a_block_dated_back() -> Log:
    return judged(stamped(founded_now(-3_600_000)))


@FAMILY.attack("hoards a token and shows it a minute later", 4, "TIME_SKEWED")
def a_token_that_was_hoarded() -> Log:
    forge = founded_now()
    token = independent().token(forge.head_lines(forge.jsn))
    forge.time_ms += 60_000
    return judged(stamp(forge, token=token))


@FAMILY.attack("shows a token of an earlier head a second time", 6, "TIME_TOKEN_REFUSED")
def a_token_used_again() -> Log:
    forge = founded_now()
    token = independent().token(forge.head_lines(forge.jsn))
    stamp(forge, token=token)
    return judged(stamp(forge, previous(forge, 4), token=token))


@FAMILY.attack("shows a token of another ledger's head", 4, "TIME_TOKEN_REFUSED")
def a_token_of_another_ledger() -> Log:
    other = founded().submit([ALICE]).seal()
    token = independent().token(other.head_lines(other.jsn))
    return judged(stamp(founded_now(), token=token))


@FAMILY.attack("runs a time authority of its own", 4, "TIME_TOKEN_REFUSED")
def a_token_of_the_operators_authority() -> Log:
    return judged(stamped(founded_now(), of_the_operator()))


@FAMILY.attack("shows random bytes as a token", 4, "TIME_TOKEN_REFUSED")
def a_token_that_is_none() -> Log:
    return judged(stamp(founded_now(), token=bytes(40)))


@FAMILY.attack("has the time journal of one head name another one", 4, "TIME_TOKEN_REFUSED")
def a_token_of_a_smaller_head() -> Log:
    forge = founded_now()
    token = independent().token(forge.head_lines(2))
    content = time(forge, token=token)
    return judged(forge.submit_own(20, content, [forge.receipt]).seal())


@FAMILY.unseen("dates all blocks an hour back, and asks no authority", Assumption.CLOCKS)
def all_blocks_dated_back() -> Forge:
    return founded_now(-3_600_000)


@FAMILY.unseen("hands the auditor its own list of authorities", Assumption.OWN_LISTS)
def a_list_of_the_operators() -> Log:
    return judged(stamped(founded_now(), of_the_operator()), of_the_operator())
