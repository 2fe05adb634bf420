#!/usr/bin/env bash
# Verifies that a.checkpoint and b.checkpoint are of one size, with two roots, both signed by the service.
# ledger: the pinned id; genesis: GenesisParams.
set -euo pipefail
# GenesisParams are the pinned ledger's; the note key stands in front of the receipt key.
{ printf 'tallystick/ledger/1\0'; cat genesis; } | openssl dgst -sha256 -r | grep -q "^$ledger "
key=302a300506032b6570032100.\\{64\\}
xxd -p genesis | tr -d '\n' | sed -n "s/.*82582c\($key\)582c${key}1b.\{16\}f[45].*/\1/p" | xxd -r -p >note-key.der
# Both are signed for this ledger.
for name in a b; do
  sed -n 1p $name.checkpoint | grep -q "/l/$ledger/0\$"
  sed -n 1,3p $name.checkpoint >$name.head
  sed -n "s|^— $(sed -n 1p $name.checkpoint) ||p" $name.checkpoint | base64 -d | dd bs=1 skip=4 status=none >$name.sig
  openssl pkeyutl -verify -pubin -keyform DER -inkey note-key.der -rawin -in $name.head -sigfile $name.sig
done
# One size, two roots.
test "$(sed -n 2p a.checkpoint)" = "$(sed -n 2p b.checkpoint)"
test "$(sed -n 3p a.checkpoint)" != "$(sed -n 3p b.checkpoint)"
