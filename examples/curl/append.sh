#!/usr/bin/env bash
# Founds a ledger, appends a journal, and verifies that it is there, with curl, openssl, xxd and sed.
# usage: append.sh URL FOLDER        keys and answers stay in FOLDER
set -euo pipefail
rest=$1
mkdir -p "$2"
cd "$2"

# field NAME FILE: a string or a number of an answer.
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" "$2"; }
bytes() { field "$1" "$2" | base64 -d; }
sha256() { openssl dgst -sha256 -r | cut -c1-64; }
post() { curl -sSf -H 'Content-Type: application/json' --data "$2" "$rest$1"; }
sign() { # signs the bytes that an answer of `:prepare` asks to sign
  bytes bytes "$1" >to-sign
  openssl pkeyutl -sign -inkey key.pem -rawin -in to-sign | base64 -w0
}

openssl genpkey -algorithm ed25519 -out key.pem
openssl pkey -in key.pem -pubout -outform DER >key.der
kid=$(sha256 <key.der)

# A ledger: its id is the hash of the parameters that its owner signs.
post /v1/ledgers:prepare \
  "{\"name\": \"by hand\", \"public\": true, \"owners\": [\"$(base64 -w0 key.der)\"]}" >founding
bytes genesisParams founding >genesis
ledger=$({ printf 'tallystick/ledger/1\0'; cat genesis; } | sha256)
test "$ledger" = "$(field ledgerId founding)"
xxd -p key.der | tr -d '\n' | grep -qFf - <(xxd -p genesis | tr -d '\n') # the owner is in it
tail -c "$(wc -c <genesis)" <(bytes bytes founding) | cmp - genesis      # and it is what is signed
post /v1/ledgers "{
  \"name\": \"by hand\", \"nameSalt\": \"$(field nameSalt founding)\",
  \"genesisParams\": \"$(field genesisParams founding)\",
  \"signatures\": [{\"kid\": \"$kid\", \"signature\": \"$(sign founding)\"}]}" >founded
echo "ledger $ledger"

# A journal: the service writes the request, we check it, sign it and send it back.
payload='order 1: 3 chairs'
post "/v1/ledgers/$ledger/journals:prepare" "{
  \"payload\": \"$(printf %s "$payload" | base64 -w0)\", \"contentType\": \"text/plain\",
  \"signers\": [\"$kid\"]}" >prepared
bytes header prepared >header
bytes salt prepared >salt
bytes body prepared >body
commit=$({ printf 'tallystick/body/1\0'; cat salt body; } | sha256)
grep -qF "$payload" body
xxd -p header | tr -d '\n' | grep -F "$commit" | grep -qF "$ledger"
test "$(bytes bytes prepared | tail -c 32 | xxd -p -c 32)" = "$(sha256 <header)"
post "/v1/ledgers/$ledger/journals" "{
  \"header\": \"$(field header prepared)\", \"salt\": \"$(field salt prepared)\",
  \"body\": \"$(field body prepared)\",
  \"signatures\": [{\"kid\": \"$kid\", \"signature\": \"$(sign prepared)\"}]}" >appended
jsn=$(field jsn appended)
bytes leaf appended >leaf
xxd -p leaf | tr -d '\n' | grep -qF "$(xxd -p header | tr -d '\n')" # our header, byte for byte
echo "journal $jsn"

# The newest head, signed by the note key that stands in the ledger's parameters.
curl -sSf "$rest/v1/ledgers/$ledger/checkpoint" -o checkpoint
spki='302a300506032b6570032100.\{64\}'
xxd -p genesis | tr -d '\n' | sed -n "s/.*82582c\($spki\)582c$spki.*/\1/p" | xxd -r -p >note-key.der
origin=$(sed -n 1p checkpoint) size=$(sed -n 2p checkpoint)
[[ $origin == */l/$ledger/0 ]]
sed -n 1,3p checkpoint >head
sed -n "s|^— $origin ||p" checkpoint | base64 -d | tail -c +5 >head.sig
openssl pkeyutl -verify -pubin -keyform DER -inkey note-key.der -rawin -in head -sigfile head.sig

# The leaf leads to the root of that head: RFC 9162, section 2.1.3.2.
node() { printf '01%s%s' "$1" "$2" | xxd -r -p | sha256; }
curl -sSf "$rest/v1/ledgers/$ledger/journals/$jsn/proof?size=$size" -o proof
hash=$({ printf '\0'; cat leaf; } | sha256)
at=$jsn last=$((size - 1))
for sibling in $(sed 's/.*"path":\[\([^]]*\)\].*/\1/' proof | tr -d '"' | tr , ' '); do
  ((last > 0))
  if ((at % 2 == 1 || at == last)); then
    hash=$(node "$sibling" "$hash")
    while ((at % 2 == 0 && at > 0)); do at=$((at / 2)) last=$((last / 2)); done
  else
    hash=$(node "$hash" "$sibling")
  fi
  at=$((at / 2)) last=$((last / 2))
done
((last == 0))
test "$hash" = "$(sed -n 3p checkpoint | base64 -d | xxd -p -c 32)"
echo "it is leaf $jsn of the $size that the service signed"
