"""Purges the beginning of a log and writes what must still hold, as cases for others.

    purge_log.py URL LEDGER FOLDER PURGED

FOLDER is what conformance/export-log left. PURGED gets

- receipts.jsonl: receipts of journals that are purged then, as the service gave them before; it must
  give the same ones after;
- proofs.jsonl: inclusion of journals that stay, and consistency from the heads before;
- minimum: the lowest jsn that is left.
"""

import base64
import json
import sys
from pathlib import Path

from rest_client import Key, Refused, Rest, expect, un64

# Of journals that go: all goes but the newest block, which has the last batch.
PURGED = (0, 2, 3, 4, 255, 256, 700)


class Cases:
    """A file of cases, which ends with a line that counts them."""

    def __init__(self, file):
        self.file, self.lines = file, []

    def add(self, **case):
        self.lines.append(json.dumps(case))

    def close(self):
        end = json.dumps({"kind": "end", "cases": len(self.lines)}, separators=(",", ":"))
        self.file.write_text("\n".join([*self.lines, end]) + "\n")


class Ledger:
    """What the service says of one."""

    def __init__(self, rest, ledger):
        self.rest, self.path = rest, f"/v1/ledgers/{ledger}"

    def get(self, path):
        return self.rest.json(self.path + path)

    def receipt(self, jsn):
        return self.rest.call(f"{self.path}/journals/{jsn}/receipt", accept="application/cose")[2]


def receipts(ledger, name, blocks):
    """The cases of journals that will go, and their messages by jsn."""
    service = ledger.rest.json("/v1/service")
    spki = un64(service["receiptKey"]).hex()
    found = {}
    for jsn in PURGED:
        shown = ledger.get(f"/journals/{jsn}/receipt")
        found[jsn] = {
            "kind": "receipt", "spki": spki, "message": un64(shown["receipt"]).hex(),
            "leaf": un64(shown["leaf"]).hex(), "index": jsn,
            "size": next(block["size"] for block in blocks if jsn < block["size"]),
            "issuer": service["authority"], "subject": f"{service['authority']}/l/{name}/0"}
    return found


def write_receipts(ledger, before, file):
    cases = Cases(file)
    for jsn, case in before.items():
        expect(ledger.receipt(jsn).hex() == case["message"], f"the receipt of {jsn} from before")
        cases.add(**case)
    cases.close()


def write_proofs(ledger, blocks, minimum, file):
    note = ledger.rest.call(f"/l/{ledger.path.rpartition('/')[2]}/0/checkpoint", accept="*/*")[2]
    _, size, root = note.decode().split("\n")[:3]
    size, root = int(size), base64.b64decode(root).hex()
    cases = Cases(file)
    for jsn in [*range(minimum, size, 50), size - 1]:
        shown = ledger.get(f"/journals/{jsn}/proof?size={size}")
        cases.add(
            kind="inclusion", index=jsn, size=size, leafHash=shown["leafHash"], path=shown["path"],
            root=root)
    for block in blocks:
        shown = ledger.get(f"/consistency?from={block['size']}&to={size}")
        cases.add(
            **{"kind": "consistency", "from": block["size"], "to": size, "fromRoot": block["root"],
               "toRoot": root, "path": shown["path"]})
    cases.close()


def main():
    url, name, folder, purged = sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])
    owner = Key(folder / "owner.pem")
    rest = Rest(url, owner)
    ledger = Ledger(rest, name)
    height = ledger.get("/blocks/latest")["height"] - 1
    blocks = [ledger.get(f"/blocks/{each}") for each in range(height + 2)]
    minimum = blocks[height]["size"]
    before = receipts(ledger, name, blocks)
    rest.purge(name, height, owner)
    rest.append(name, b"after the purge", owner)
    for gone in (0, 2, 255, 700):
        try:
            ledger.get(f"/journals/{gone}/receipt")
        except Refused as refused:
            expect((refused.status, refused.code) == (410, "purged"), f"journal {gone} purged")
        else:
            expect(gone == 0, f"journal {gone} purged, it is there")
    write_receipts(ledger, before, purged / "receipts.jsonl")
    write_proofs(ledger, blocks, minimum, purged / "proofs.jsonl")
    (purged / "minimum").write_text(f"{minimum}\n")


if __name__ == "__main__":
    main()
