"""The tamper lab: operators with disk and service keys try to cheat, and two judges look.

    lab.py            shows every attack, and the honest twins, to `tally` and tallyverify
    lab.py NAME…      shows these alone, and says what both judges name

Each attack must be refused by both, which name the same jsn and kind; one that only a trusted head
or a witness shows must be accepted without it; one that nobody sees must be accepted.
"""

import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

import workshop  # noqa: E402
from attacks import Attack, By, Family, Log, Shown, Verdict  # noqa: E402
from families import families  # noqa: E402
from judges import TallyCommand, Tallyverify  # noqa: E402

NAME = "tamper lab"
UNSEEN_MAX = 8


class Lab:
    """Both judges, and what they said so far of the attacks and twins with these names."""

    def __init__(self, names: Sequence[str]) -> None:
        folder = workshop.folder()
        self._names = names
        self._judges = (Tallyverify(), TallyCommand(folder, workshop.commands()))
        self.accepted = self.refused = self.unseen = self.failed = 0

    def show(self, family: Family) -> None:
        """Shows the twins and the attacks of a family."""
        if family.attacks and not family.twins:
            self._fail(f"{family.title}: no honest twin")
        for name, build in family.twins.items():
            if not self._names or name in self._names:
                self.accepted += self._expect(name, build(), Verdict())
        for attack in family.attacks:
            if not self._names or attack.name in self._names:
                self._attack(attack)

    def end(self) -> bool:
        """Whether all is well, when everything was shown."""
        if self.unseen > UNSEEN_MAX:
            self._fail(f"{self.unseen} attacks that nobody sees, at most {UNSEEN_MAX}")
        enough = self.accepted and self.refused
        return self.failed == 0 and bool(enough or self._names)

    def _attack(self, attack: Attack) -> None:
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

    def _expect(self, name: str, what: Shown, wanted: Verdict) -> bool:
        for judge in self._judges:
            try:
                found = judge.judge(what)
            except Exception as e:  # a judge that ends with anything else names nothing
                found = Verdict(None, f"{type(e).__name__}: {e}")
            if found != wanted:
                self._fail(f"{name}: {type(judge).__name__} says {found}, want {wanted}")
                return False
        if self._names:
            print(f"{name}: both say {wanted}", file=sys.stderr)
        return True

    def _fail(self, what: str) -> None:
        self.failed += 1
        print(f"FAILED {NAME}: {what}", file=sys.stderr)


def main(names: Sequence[str]) -> int:
    began = time.monotonic()
    lab = Lab(names)
    all_families = families()
    with ThreadPoolExecutor() as pool:
        prepared = {}
        for family in all_families:
            wanted = not names or any(a.name in names for a in family.attacks)
            if family.prepare and (wanted or any(name in names for name in family.twins)):
                prepared[family.title] = pool.submit(family.prepare)
        for family in sorted(all_families, key=lambda each: each.title in prepared):
            if family.title in prepared:
                prepared[family.title].result()
            lab.show(family)
    well = lab.end()
    took = time.monotonic() - began
    print(f"{lab.unseen} attacks that nobody sees; took {took:.0f} s", file=sys.stderr)
    print(f"{NAME}: {lab.accepted} accepted, {lab.refused} tampered refused, {lab.failed} failed")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
