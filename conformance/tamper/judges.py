"""The two judges of the tamper lab: the tally command, and tallyverify.

They share no code. Each is shown the same bytes and answers with the jsn and kind that it names.
"""

import io
import itertools
import re
from dataclasses import dataclass
from pathlib import Path

from attacks import Certificate, Evidence, Log, Reading, Receipt, Served, Shown, Verdict
from forge_tiles import Files, store
from tally_commands import Commands, Said
from tallyverify import head, keychain, ledger, misconduct, others, receipt, removal, statefile
from tallyverify.audit import More, audit, audit_files
from tallyverify.gossip import Gossip, WitnessKey
from tallyverify.rejected import Fault, Rejected
from tallyverify.tledger import Entries
from tallyverify.tokens import Authorities

EVIDENCE = 4
_REASON = re.compile(r"DOES NOT VERIFY: (?:\S+: )?([A-Z]+(?:_[A-Z]+)*)\b")


class Tallyverify:
    """The verifier that was written from the pages."""

    def judge(self, what: Shown) -> Verdict:
        """What it names."""
        if isinstance(what, Served):
            return what.read
        try:
            if isinstance(what, Log):
                self._log(what)
            elif isinstance(what, Receipt):
                self._receipt(what)
            elif isinstance(what, Reading):
                genesis = ledger.pinned(what.params, what.ledger_id)
                if statefile.verify(genesis, 0, what.content).key != what.key.encode():
                    return Verdict(None, "ANOTHER_KEY")
            elif isinstance(what, Certificate):
                removal.verify(what.content, what.ledger_id, 0)
            else:
                genesis = ledger.pinned(what.params, what.ledger_id)
                judge = Authorities(what.authorities).gen_time_ms if what.authorities else None
                misconduct.confirm(genesis, 0, what.content, judge)
        except Fault as e:
            return Verdict(e.jsn, e.kind)
        except Rejected as e:
            return Verdict(None, e.reason)
        return Verdict()

    def _receipt(self, what: Receipt) -> None:
        genesis = ledger.pinned(what.params, what.ledger_id)
        leaf, item = receipt.read_file(what.content)
        keys = keychain.verify(genesis, 0, what.key_chain or keychain.EMPTY).service
        receipt.verify(keys.at(keychain.stated_size(item)), 0, leaf, item)

    def _log(self, what: Log) -> None:
        trusted = None
        if what.trusted:
            genesis = ledger.pinned(what.params, what.ledger_id)
            trusted = head.verify(genesis, 0, what.trusted)
        judge = Authorities(what.authorities).gen_time_ms if what.authorities else None
        witnesses = [WitnessKey.parse(vkey) for vkey in what.witnesses]
        more = More(
            Gossip(what.others, witnesses, len(witnesses)),
            Entries([others.t_ledger(each) for each in what.t_ledgers]),
            None if what.submitters is None else others.submitted(what.submitters),
        )
        if isinstance(what.content, bytes):
            audit(io.BytesIO(what.content), what.ledger_id, 0, trusted, judge, more)
        else:
            audit_files(_Held(what.content), what.ledger_id, 0, trusted, judge, more=more)


@dataclass(frozen=True)
class _Held:
    """Public files in memory."""

    files: Files

    def read(self, path: str, most: int) -> bytes | None:
        """A file, or as much of it as shows that it has more bytes."""
        content = self.files.get(path)
        return None if content is None else content[: most + 1]


def _store(folder: Path, what: Log) -> None:
    assert not isinstance(what.content, bytes)
    for before in folder.rglob("*"):
        if before.is_file():
            before.unlink()
    store(folder, what.content)


@dataclass
class TallyCommand:
    """The tally command, offline, in one process."""

    folder: Path
    commands: Commands

    def __post_init__(self) -> None:
        self._numbers = itertools.count()

    def judge(self, what: Shown) -> Verdict:
        """What it names."""
        if isinstance(what, Served):
            return what.audited
        if isinstance(what, Log):
            return self._log(what)
        file = self._file("shown", what.content)
        ledger_id = what.ledger_id.hex()
        if isinstance(what, Certificate):
            return _verdict(self.commands.run("certificate", ledger_id, "--verify", file))
        genesis = self._file("genesis", what.params)
        if isinstance(what, Receipt):
            words = ["verify", ledger_id, "--receipt", file, "--genesis", genesis]
            if what.key_chain:
                words += ["--key-chain", self._file("chain", what.key_chain)]
        elif isinstance(what, Reading):
            return self._reading(what, file)
        else:
            words = ["evidence", "check", ledger_id, file, "--genesis", genesis]
            words += self._authorities(what)
        return _verdict(self.commands.run(*words))

    def _reading(self, what: Reading, file: str) -> Verdict:
        trust = self.folder / f"trust{next(self._numbers)}"
        keys = trust / what.ledger_id.hex()
        keys.mkdir(parents=True)
        (keys / "genesis-pending").write_bytes(what.params)
        words = ["state", "verify", what.ledger_id.hex(), file, "--trust", trust, "--json"]
        said = self.commands.run(*words)
        if said.status:
            return Verdict(None, _reason(said))
        return Verdict() if said.json()["key"] == what.key else Verdict(None, "ANOTHER_KEY")

    def _log(self, what: Log) -> Verdict:
        words: list[object] = ["audit", what.ledger_id.hex(), "--json", "--threads", 1]
        if isinstance(what.content, bytes):
            words += ["--copy", self._file("log", what.content)]
        else:
            _store(self.folder / "tiles", what)
            words += ["--tiles", "tiles"]
        words += ["--trust", self._trust(what)]
        for other in what.others:
            words += ["--compare", self._file("other", other)]
        for witness in what.witnesses:
            words += ["--witness", witness]
        words += self._authorities(what)
        for t_ledger in what.t_ledgers:
            words += ["--t-ledger", self._file("tledger", t_ledger)]
        if what.submitters is not None:
            words += ["--heads"]
            for each in what.submitters:
                words += ["--submitter", self._file("submitter", each)]
        words += ["--keep", "contradictions"] if what.others or what.witnesses else []
        said = self.commands.run(*words)
        if said.status not in (0, EVIDENCE):
            raise RuntimeError(f"{words}: {said}")
        if not said.out:
            return Verdict(None, _reason(said))
        audited = said.json()["audit"]
        if not audited["faults"]:
            return Verdict()
        return Verdict(audited["firstFaultyJsn"], audited["faults"][0]["kind"])

    def _trust(self, what: Log) -> Path:
        """A trust directory: an empty one, or one with a head of the ledger."""
        if not what.trusted:
            return self.folder / "no-trust"
        trust = self.folder / f"trust{next(self._numbers)}"
        kept = trust / what.ledger_id.hex()
        kept.mkdir(parents=True)
        (kept / "genesis").write_bytes(what.params)
        (kept / "head-0").write_bytes(what.trusted)
        return trust

    def _authorities(self, what: Log | Evidence) -> list[object]:
        if not what.authorities:
            return []
        return ["--tsa-ca", self._file("authorities", what.authorities)]

    def _file(self, kind: str, content: bytes) -> str:
        name = f"{kind}{next(self._numbers)}"
        (self.folder / name).write_bytes(content)
        return name


def _verdict(said: Said) -> Verdict:
    return Verdict() if said.status == 0 else Verdict(None, _reason(said))


def _reason(said: Said) -> str:
    found = _REASON.search(said.err)
    if said.status != EVIDENCE or not found:
        raise RuntimeError(f"no reason: {said}")
    return found[1]
