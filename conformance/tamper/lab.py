"""The tamper lab: operators with disk and service keys try to cheat, and two judges look.

    lab.py            shows every attack, and the honest twins, to `tally` and tallyverify
    lab.py NAME…      shows these alone, and says what each judge names

Each attack must be refused by both, which name the same jsn and kind; one that only a trusted head
or a witness shows must be accepted without it; one that nobody sees must be accepted.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

import workshop  # noqa: E402
from attacks import Attack, By, Log, Shown, Verdict  # noqa: E402
from families import families  # noqa: E402
from judges import TallyCommand, Tallyverify  # noqa: E402

NAME = "tamper lab"


class Lab:
    """Both judges, and what they said so far."""

    def __init__(self) -> None:
        folder = workshop.folder()
        self._judges = (Tallyverify(folder), TallyCommand(folder, workshop.commands()))
        self.accepted = self.refused = self.unseen = self.failed = 0

    def _expect(self, name: str, what: Shown, wanted: Verdict) -> bool:
        for judge in self._judges:
            try:
                found = judge.judge(what)
            except Exception as e:  # a judge that ends with anything else names nothing
                found = Verdict(None, f"{type(e).__name__}: {e}")
            if found != wanted:
                self.failed += 1
                judged = f"{type(judge).__name__} says {found}, want {wanted}"
                print(f"FAILED {NAME}: {name}: {judged}", file=sys.stderr)
                return False
        return True

    def twin(self, name: str, what: Shown) -> None:
        """Shows what is honest."""
        self.accepted += self._expect(name, what, Verdict())

    def attack(self, attack: Attack) -> None:
        """Shows what an operator did."""
        what = attack.build()
        if not self._expect(attack.name, what, attack.named):
            return
        if attack.by in (By.HEAD, By.WITNESS):
            assert isinstance(what, Log)
            if not self._expect(f"{attack.name}, alone", what.alone(), Verdict()):
                return
        if attack.by is By.NOBODY:
            self.unseen += 1
        else:
            self.refused += 1


def main(names: Sequence[str]) -> int:
    began = time.monotonic()
    lab = Lab()
    for family in families():
        for name, build in family.twins.items():
            if not names or name in names:
                lab.twin(name, build())
        for attack in family.attacks:
            if not names or attack.name in names:
                lab.attack(attack)
    took = time.monotonic() - began
    print(f"{lab.unseen} attacks that nobody sees; took {took:.0f} s", file=sys.stderr)
    print(f"{NAME}: {lab.accepted} accepted, {lab.refused} tampered refused, {lab.failed} failed")
    return 0 if lab.failed == 0 and (names or (lab.accepted and lab.refused)) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
