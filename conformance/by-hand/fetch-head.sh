#!/usr/bin/env bash
# Gets the newest checkpoint, the receipt of the last leaf that it covers, and GenesisParams, into this folder.
# rest: the service's address; ledger: the pinned id.
set -euo pipefail
curl -sSf "$rest/v1/ledgers/$ledger/checkpoint" -o checkpoint
last=$(($(sed -n 2p checkpoint) - 1))
curl -sSf -H 'Accept: application/cose' "$rest/v1/ledgers/$ledger/journals/$last/receipt" -o receipt
curl -sSf "$rest/v1/ledgers/$ledger" | sed 's/.*"genesisParams":"\([^"]*\)".*/\1/' | base64 -d >genesis
