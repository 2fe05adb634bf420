#!/usr/bin/env bash
# Verifies with openssl that the service signed the head of `checkpoint` and `receipt`, which fetch-head.sh got.
# ledger: the pinned id. Needs openssl, xxd, dd, sed, base64. Ends with 0 behind two `Signature Verified Successfully`.
set -euo pipefail
# GenesisParams are the pinned ledger's; the two service keys stand in front of the time of founding.
{ printf 'tallystick/ledger/1\0'; cat genesis; } | openssl dgst -sha256 -r | grep -q "^$ledger "
key=302a300506032b6570032100.\\{64\\}
keys=$(xxd -p genesis | tr -d '\n' | sed -n "s/.*82582c\($key\)582c\($key\)1b.\{16\}f[45].*/\1 \2/p")
echo "${keys% *}" | xxd -r -p >note-key.der
echo "${keys#* }" | xxd -r -p >receipt-key.der
# The checkpoint: its first three lines are signed; 4 bytes of key id stand before the signature.
sed -n 1p checkpoint | grep -q "/l/$ledger/0\$"
sed -n 1,3p checkpoint >head
sed -n "s|^— $(sed -n 1p checkpoint) ||p" checkpoint | base64 -d | dd bs=1 skip=4 status=none >head.sig
openssl pkeyutl -verify -pubin -keyform DER -inkey note-key.der -rawin -in head -sigfile head.sig
# The receipt: d2 84, the protected header as a byte string of one or two bytes of length, …, the signature.
test "$(xxd -p -l 2 receipt)" = d284
at=$(xxd -p -s 2 -l 1 receipt | sed -n 's/58/1/p; s/59/2/p')
count=$((1 + at + 0x$(xxd -p -s 3 -l "$at" receipt)))
dd if=receipt of=protected bs=1 skip=2 count="$count" status=none
xxd -p protected | tr -d '\n' | grep -q "3a0001117084015820${ledger}00"
{ printf '\204\152Signature1'; cat protected; printf '\100\130\040'; sed -n 3p checkpoint | base64 -d; } >signed
tail -c 64 receipt >signed.sig
openssl pkeyutl -verify -pubin -keyform DER -inkey receipt-key.der -rawin -in signed -sigfile signed.sig
