#!/usr/bin/env bash
# Verifies that a journal behind a time journal is dated more than 10 s before the token.
# ledger: the pinned id; by_hand: by_hand.py; the files: docs/audit-by-hand.md.
set -euo pipefail
# Both leaves are in trees that the service signed, of the one log that copy.tlog has.
python3 "$by_hand" copy.tlog "$ledger" time.receipt journal.receipt
# The time journal holds this token, which the authority made of a head of this ledger.
xxd -p time.receipt | tr -d '\n' | grep -q "$(xxd -p token.tst | tr -d '\n')"
head -n 1 token.head | grep -q "/l/$ledger/0\$"
made=$(openssl ts -reply -token_in -token_out -in token.tst -text | sed -n 's/^Time stamp: //p')
made=$(date -u -d "$made" +%s)
openssl ts -verify -token_in -in token.tst -data token.head -CAfile ca.pem -attime "$made"
# jsn and timeMs of a leaf: the numbers behind its type.
leaf() {
  python3 - "$1" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
at = data.index(b"\x89\x01") + 2
for _ in range(2):
    width = {24: 1, 25: 2, 26: 4, 27: 8}.get(data[at], 0)
    print(int.from_bytes(data[at + 1 : at + 1 + width], "big") if width else data[at])
    at += 1 + width
END
}
set -- $(leaf time.receipt) $(leaf journal.receipt)
# The journal stands behind the time journal and is dated more than 10 s before the token.
test "$3" -gt "$1"
test "$4" -lt "$((made * 1000 - 10000))"
