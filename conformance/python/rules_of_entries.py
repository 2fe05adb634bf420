"""Logs with a fault in genesis, in one leaf, or in a batch or attestation."""

from forge import GENESIS, START_MS, Forge, Request, Signer, WithoutNonce
from forge_bytes import cbor, sha
from rules import ALICE, BOB, CAROL, DAN, batch, founded, wrong

# Genesis


@wrong(0, "GENESIS_INVALID")
def an_owner_who_did_not_sign() -> Forge:
    return Forge([ALICE, BOB]).genesis(signers=[ALICE])


@wrong(0, "GENESIS_INVALID")
def a_stranger_who_signed_too() -> Forge:
    signers = sorted([ALICE, BOB, CAROL], key=lambda s: s.kid)
    return Forge([ALICE, BOB]).genesis(signers=signers)


@wrong(0, "GENESIS_INVALID")
def founded_long_before() -> Forge:
    return founded(params={6: START_MS - 30_001})


@wrong(0, "GENESIS_INVALID")
def authority_in_upper_case() -> Forge:
    return founded(params={1: "Localhost"})


@wrong(0, "GENESIS_INVALID")
def one_key_for_both_services() -> Forge:
    return founded(params={5: [Signer("note").spki] * 2})


@wrong(0, "WRONG_LEDGER")
def genesis_of_another_strand() -> Forge:
    return Forge([ALICE, BOB]).genesis(leaf={3: 1})


@wrong(0, "WRONG_LEDGER")
def params_of_another_ledger() -> Forge:
    forge = Forge([ALICE, BOB])
    params = Forge([ALICE, BOB], {3: sha(b"other")}).params
    return forge.genesis(leaf={4: params})


@wrong(0, "ATTESTATION_MISMATCH")
def genesis_that_names_another_attestation() -> Forge:
    return Forge([ALICE, BOB]).genesis(leaf={5: sha(b"other")})


@wrong(0, "GENESIS_INVALID")
def genesis_signed_as_a_request() -> Forge:
    forge = Forge([ALICE])
    attestation = forge.attest([ALICE], [Request(forge.params, b"", b"")])
    forge.genesis(leaf={5: sha(attestation)}).entries[0][1] = attestation
    return forge


@wrong(0, "GENESIS_INVALID")
def genesis_with_a_bad_signature() -> Forge:
    forge = Forge([ALICE])
    attestation = cbor([ALICE.sign1({16: GENESIS}, forge.params)])
    attestation = attestation[:-1] + bytes([attestation[-1] ^ 1])
    forge.genesis(leaf={5: sha(attestation)}).entries[0][1] = attestation
    return forge


@wrong(0, "GENESIS_INVALID")
def an_owner_whose_key_is_of_small_order() -> Forge:
    forge = Forge([ALICE], {4: [ALICE.spki[:12] + b"\1" + bytes(31)]})
    return forge.genesis()


@wrong(0, "ATTESTATION_INVALID")
def genesis_with_an_attestation_that_is_none() -> Forge:
    forge = Forge([ALICE])
    forge.genesis(leaf={5: sha(b"none")}).entries[0][1] = b"none"
    return forge


@wrong(2, "MALFORMED_LEAF")
def a_change_of_no_parameters() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(kind=18, ext=[3, 9, {}])]).seal()


@wrong(2, "MALFORMED_LEAF")
def an_append_whose_strand_is_too_large() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(header={2: 2**31})]).seal()


# Leaves


@wrong(2, "WRONG_JSN")
def a_wrong_jsn() -> Forge:
    return founded().submit([ALICE], leaf={1: 3}).seal()


@wrong(2, "WRONG_FLAGS")
def a_mark_though_no_signers_key_is_delegated() -> Forge:
    return founded().submit([ALICE], leaf={8: 1}).seal()


@wrong(2, "MALFORMED_LEAF")
def flags_above_the_first() -> Forge:
    return founded().submit([ALICE], leaf={8: 2}).seal()


@wrong(2, "MALFORMED_LEAF")
def a_leaf_of_type_four() -> Forge:
    return founded().submit([ALICE], leaf={0: 4}).seal()


@wrong(2, "WRONG_JSN")
def a_second_genesis() -> Forge:
    forge = founded()
    forge.entries.append(list(forge.entries[0]))
    return forge.seal()


@wrong(1, "WRONG_TYPE")
def a_journal_in_the_block_of_genesis() -> Forge:
    forge = Forge([ALICE, BOB]).genesis()
    del forge.entries[1]
    forge.time_ms, forge.height, forge.first_jsn, forge.previous = START_MS, 0, 0, bytes(32)
    return forge.submit([ALICE]).seal()


@wrong(2, "WRONG_LEDGER")
def a_request_for_another_ledger() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(header={1: sha(b"other")})]).seal()


@wrong(2, "WRONG_LEDGER")
def a_request_for_another_strand() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(header={2: 1})]).seal()


@wrong(2, "MALFORMED_LEAF")
def a_time_journal() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(kind=20, ext=[5])]).seal()


@wrong(2, "MALFORMED_LEAF")
def an_unknown_kind() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(kind=3)]).seal()


@wrong(2, "FEATURE_NOT_ENABLED")
def operations() -> Forge:
    forge = founded()
    request = forge.request(header={10: sha(b"root"), 11: 1}, body={3: [b"value"]})
    return forge.submit([ALICE], [request]).seal()


@wrong(2, "MALFORMED_LEAF")
def a_root_of_no_operations() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(header={10: sha(b"root")})]).seal()


@wrong(2, "MALFORMED_LEAF")
def an_extension_of_an_append() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(ext=[1, 3, CAROL.spki])]).seal()


@wrong(2, "MALFORMED_LEAF")
def a_role_that_is_none() -> Forge:
    return founded().add(ALICE, CAROL, 6).seal()


@wrong(2, "MALFORMED_LEAF")
def a_header_with_bytes_behind_it() -> Forge:
    forge = founded()
    request = forge.request()
    return forge.submit(
        [ALICE], [Request(request.header + b"\0", request.salt, request.body)]
    ).seal()


# Batches and attestations


@wrong(4, "WRONG_BATCH")
def a_batch_in_two_blocks() -> Forge:
    forge = founded()
    forge.submit([ALICE], batch(forge)).entries.pop()
    return forge.seal()


@wrong(2, "WRONG_BATCH")
def a_batch_without_its_first() -> Forge:
    forge = founded()
    requests = batch(forge)
    attestation = forge.attest([ALICE], requests)
    return forge.submit([ALICE], requests[2:], attestation, leaf={5: 2, 6: 3}).seal()


@wrong(4, "WRONG_BATCH")
def a_batch_that_changes_its_count() -> Forge:
    forge = founded()
    return forge.submit([ALICE], batch(forge), leaf={6: 4}).seal()


@wrong(2, "WRONG_BATCH")
def a_change_of_members_in_a_batch() -> Forge:
    forge = founded()
    requests = [forge.request(kind=16, ext=[1, 3, key.spki]) for key in (CAROL, DAN)]
    return forge.submit([ALICE], requests).seal()


@wrong(3, "SALT_INVALID")
def one_request_twice_in_a_batch() -> Forge:
    forge = founded()
    request = forge.request()
    forge.submit([ALICE], [request, request])
    return forge.seal()


@wrong(2, "ATTESTATION_MISSING")
def no_attestation() -> Forge:
    forge = founded().submit([ALICE]).seal()
    forge.entries[2][1] = b""
    return forge


@wrong(2, "ATTESTATION_MISMATCH")
def another_attestation() -> Forge:
    return founded().submit([ALICE], leaf={4: sha(b"other")}).seal()


@wrong(3, "ATTESTATION_MISMATCH")
def another_attestation_in_a_batch() -> Forge:
    forge = founded()
    return forge.submit([ALICE], batch(forge, 2), leaf={4: sha(b"other")}).seal()


@wrong(3, "WRONG_BATCH")
def the_attestation_again_within_a_batch() -> Forge:
    forge = founded()
    forge.submit([ALICE], batch(forge, 2)).seal()
    forge.entries[3][1] = forge.entries[2][1]
    return forge


@wrong(3, "ATTESTATION_MISMATCH")
def a_seal_with_an_attestation() -> Forge:
    forge = founded().submit([ALICE]).seal()
    forge.entries[3][1] = forge.entries[2][1]
    return forge


@wrong(2, "ATTESTATION_INVALID")
def an_attestation_of_nobody() -> Forge:
    return founded().submit([ALICE], attestation=cbor([])).seal()


@wrong(2, "ATTESTATION_INVALID")
def one_signer_twice() -> Forge:
    forge = founded()
    request = forge.request()
    one = forge.attest([ALICE], [request])[1:]
    return forge.submit([ALICE], [request], b"\x82" + one + one).seal()


@wrong(2, "ATTESTATION_INVALID")
def a_label_too_many() -> Forge:
    return founded().submit([ALICE], labels={3: "text/plain"}).seal()


@wrong(2, "ATTESTATION_INVALID")
def the_type_of_another_statement() -> Forge:
    return founded().submit([ALICE], labels={16: "application/vnd.tallystick.batch+cose"}).seal()


@wrong(2, "WRONG_LEDGER")
def a_signature_for_another_strand() -> Forge:
    forge = founded()
    return forge.submit([ALICE], labels={-70002: [1, forge.ledger_id, 1]}).seal()


@wrong(2, "ATTESTATION_INVALID")
def a_signature_for_another_count() -> Forge:
    forge = founded()
    context = [1, forge.ledger_id, 0, 4]
    return forge.submit([ALICE], batch(forge), labels={-70002: context}).seal()


@wrong(2, "ATTESTATION_INVALID")
def the_payload_of_a_request_detached() -> Forge:
    forge = founded()
    request = forge.request()
    signed = forge.attest([ALICE], [request])
    payload = cbor(request.hash)
    return forge.submit([ALICE], [request], signed.replace(payload, b"\xf6")).seal()


@wrong(2, "ATTESTATION_INVALID")
def an_alg_that_is_not_the_keys() -> Forge:
    return founded().submit([ALICE], labels={1: -7}).seal()


@wrong(2, "ATTESTATION_INVALID")
def an_unprotected_header_that_is_not_empty() -> Forge:
    forge = founded()
    request = forge.request()
    signed = forge.attest([ALICE], [request])
    payload = b"\xa0" + cbor(request.hash)
    twin = signed.replace(payload, b"\xa1\x01\x02" + payload[1:])
    return forge.submit([ALICE], [request], twin).seal()


@wrong(2, "BAD_SIGNATURE")
def another_payload_beside_a_good_signature() -> Forge:
    forge = founded()
    request = forge.request()
    twin = forge.attest([ALICE], [request]).replace(request.hash, sha(b"other"))
    return forge.submit([ALICE], [request], twin).seal()


@wrong(2, "BAD_SIGNATURE")
def a_signature_over_another_request() -> Forge:
    forge = founded()
    attestation = forge.attest([ALICE], [forge.request(b"other")])
    return forge.submit([ALICE], [forge.request()], attestation).seal()


@wrong(2, "BAD_SIGNATURE")
def a_signature_over_another_batch() -> Forge:
    forge = founded()
    attestation = forge.attest([ALICE], batch(forge))
    return forge.submit([ALICE], batch(forge), attestation).seal()


@wrong(2, "BAD_SIGNATURE")
def a_signature_whose_r_is_of_small_order() -> Forge:
    forge = founded()
    request = forge.request()
    return forge.submit([ALICE], [request], forge.attest([WithoutNonce("alice")], [request])).seal()


@wrong(2, "BAD_SIGNATURE")
def one_bad_signature_of_two() -> Forge:
    forge = founded()
    request = forge.request()
    attestation = forge.attest([ALICE, BOB], [request])
    return forge.submit([ALICE], [request], attestation[:-1] + bytes([attestation[-1] ^ 1])).seal()
