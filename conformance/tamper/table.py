"""The table of attacks in README.md, made from the attacks.

table.py            writes it into the page
table.py --check    fails if the page has another one
"""

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from attacks import Attack, By, Family  # noqa: E402
from families import families  # noqa: E402

PAGE = Path(__file__).resolve().parent / "README.md"
BEGIN, END = (
    "<!-- attacks: made by conformance/tamper/table.py -->\n",
    "<!-- end of the attacks -->\n",
)
_ASSUMPTIONS = "../../docs/fault-model.md#what-detection-assumes"


def table(all_families: list[Family]) -> str:
    """One table for each family that has attacks, behind a line that counts them."""
    attacks = [attack for family in all_families for attack in family.attacks]
    unseen = sum(attack.by is By.NOBODY for attack in attacks)
    twins = sum(len(family.twins) for family in all_families)
    count = (
        f"{len(attacks)} attacks; {unseen} of them nobody sees. {twins} honest twins are accepted."
    )
    return "\n".join([count, *(_family(each) for each in all_families if each.attacks)]) + "\n"


def _family(family: Family) -> str:
    rows = [f"\n## {family.title}\n", "| attack: the operator … | detected by | named |"]
    return "\n".join([*rows, "| --- | --- | --- |", *_rows(family)])


def _rows(family: Family) -> Iterator[str]:
    for attack in family.attacks:
        yield f"| {attack.operator} (`{attack.name}`) | {attack.by.value} | {_named(attack)} |"


def _named(attack: Attack) -> str:
    if attack.assumption:
        return f"nothing: it breaks [{attack.assumption.value}]({_ASSUMPTIONS})"
    where = "" if attack.named.jsn is None else f"{attack.named.jsn}, "
    return f"{where}`{attack.named.kind}`"


def _written(page: str) -> str:
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table(families())}\n{END}{after}"


def main(arguments: list[str]) -> int:
    page = PAGE.read_text(encoding="utf-8")
    if BEGIN not in page or END not in page:
        print(f"{PAGE} has no place for the attacks", file=sys.stderr)
        return 1
    written = _written(page)
    if "--check" not in arguments:
        PAGE.write_text(written, encoding="utf-8")
    elif written != page:
        print(
            f"{PAGE} has another table of attacks: run conformance/tamper/table.py", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
