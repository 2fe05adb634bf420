"""Logs with a fault that only a replay shows, or in what surrounds the leaves."""

from forge import EMPTY_CLUE_ROOT, Forge, Signer
from forge_bytes import cbor, prefixed, sha
from rules import ALICE, BOB, CAROL, DAN, DAY_MS, batch, founded, wrong

# Members


@wrong(3, "ROLE_NOT_ALLOWED")
def one_who_may_only_read_appends() -> Forge:
    return founded().add(ALICE, CAROL, 4).submit([CAROL]).seal()


@wrong(3, "ROLE_NOT_ALLOWED")
def one_who_may_only_verify_signs_with_an_owner() -> Forge:
    return founded().add(ALICE, CAROL, 5).submit([ALICE, CAROL]).seal()


@wrong(3, "ROLE_NOT_ALLOWED")
def a_regulator_changes_members() -> Forge:
    return founded().add(ALICE, CAROL, 2).add(CAROL, DAN).seal()


@wrong(2, "UNKNOWN_SIGNER")
def a_stranger() -> Forge:
    return founded().submit([CAROL]).seal()


@wrong(2, "UNKNOWN_SIGNER")
def a_stranger_beside_a_member() -> Forge:
    return founded().submit([ALICE, CAROL]).seal()


@wrong(2, "UNKNOWN_SIGNER")
def a_service_key_that_signs() -> Forge:
    return founded().submit([Signer("receipt")]).seal()


@wrong(3, "REVOKED_SIGNER")
def one_who_was_revoked() -> Forge:
    return founded().revoke(ALICE, BOB.kid).submit([BOB]).seal()


@wrong(3, "ROLE_NOT_ALLOWED")
def a_change_of_members_without_an_owner() -> Forge:
    return founded().add(ALICE, CAROL).add(CAROL, DAN).seal()


@wrong(2, "MEMBER_CHANGE_INVALID")
def an_owner_added_again() -> Forge:
    return founded().add(ALICE, BOB).seal()


@wrong(4, "MEMBER_CHANGE_INVALID")
def one_who_was_revoked_added_again() -> Forge:
    return founded().add(ALICE, CAROL).revoke(ALICE, CAROL.kid).add(ALICE, CAROL).seal()


@wrong(2, "MEMBER_CHANGE_INVALID")
def the_note_key_as_a_member() -> Forge:
    return founded().add(ALICE, Signer("note")).seal()


@wrong(3, "LAST_OWNER")
def the_last_owner_revoked() -> Forge:
    return founded().revoke(ALICE, BOB.kid).revoke(ALICE, ALICE.kid).seal()


@wrong(2, "MEMBER_CHANGE_INVALID")
def nobody_revoked() -> Forge:
    return founded().revoke(ALICE, CAROL.kid).seal()


@wrong(3, "MEMBER_CHANGE_INVALID")
def one_revoked_twice() -> Forge:
    return founded().revoke(ALICE, BOB.kid).revoke(ALICE, BOB.kid).seal()


@wrong(2, "MEMBER_CHANGE_INVALID")
def a_key_of_small_order() -> Forge:
    return founded().add(ALICE, ALICE.spki[:12] + b"\1" + bytes(31)).seal()


@wrong(2, "MEMBER_CHANGE_INVALID")
def a_key_that_is_not_on_its_curve() -> Forge:
    return founded().add(ALICE, BOB.spki[:-1] + bytes([BOB.spki[-1] ^ 1])).seal()


@wrong(2, "MALFORMED_LEAF")
def a_key_of_an_unknown_kind() -> Forge:
    return founded().add(ALICE, ALICE.spki[:-1]).seal()


@wrong(3, "REPLAYED")
def a_request_twice() -> Forge:
    forge = founded()
    request = forge.request()
    attestation = forge.attest([ALICE], [request])
    return forge.submit([], [request], attestation).submit([], [request], attestation).seal()


@wrong(4, "REPLAYED")
def an_es256_request_with_the_other_s() -> Forge:
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    forge = founded()
    request = forge.request()
    attestation = forge.attest([BOB], [request])
    s = order - int.from_bytes(attestation[-32:], "big")
    forge.submit([], [request], attestation).seal()
    return forge.submit([], [request], attestation[:-32] + s.to_bytes(32, "big")).seal()


@wrong(4, "REPLAYED")
def a_batch_twice() -> Forge:
    forge = founded()
    requests = batch(forge, 2)
    return forge.submit([ALICE], requests).submit([ALICE], requests).seal()


# Times, sizes and bodies


@wrong(4, "TIME_BACKWARDS")
def time_that_goes_back() -> Forge:
    forge = founded().submit([ALICE]).seal(step_ms=-1)
    return forge.submit([ALICE]).seal()


@wrong(3, "BROKEN_BLOCK")
def two_times_in_a_block() -> Forge:
    forge = founded().submit([ALICE])
    forge.time_ms += 1
    return forge.submit([ALICE]).seal()


@wrong(3, "BROKEN_BLOCK")
def a_seal_of_another_time() -> Forge:
    forge = founded().submit([ALICE])
    forge.time_ms += 1
    return forge.seal()


@wrong(2, "TIME_OUTSIDE_WINDOW")
def a_request_from_the_future() -> Forge:
    forge = founded()
    client = forge.time_ms + 30_001
    return forge.submit([ALICE], [forge.request(header={5: client, 6: client + 1})]).seal()


@wrong(2, "TIME_OUTSIDE_WINDOW")
def a_request_that_expired() -> Forge:
    forge = founded()
    request = forge.request(header={5: forge.time_ms - 9, 6: forge.time_ms - 1})
    return forge.submit([ALICE], [request]).seal()


@wrong(2, "WINDOW_TOO_LONG")
def a_window_too_long() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(header={6: forge.time_ms + 60_001})]).seal()


@wrong(2, "WINDOW_TOO_LONG")
def a_change_with_a_window_too_long() -> Forge:
    forge = founded()
    late = forge.time_ms + 30 * DAY_MS + 1
    request = forge.request(kind=16, ext=[1, 3, CAROL.spki], header={6: late})
    return forge.submit([ALICE], [request]).seal()


@wrong(2, "MALFORMED_LEAF")
def a_request_that_expires_before_it_is_made() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(header={6: forge.time_ms - 1})]).seal()


@wrong(2, "MALFORMED_LEAF")
def a_body_size_too_large() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(header={8: 1114113})]).seal()


@wrong(2, "REQUEST_TOO_LARGE")
def a_batch_too_large() -> Forge:
    forge = founded()
    requests = [forge.request(bytes(1024 * 1024)) for _ in range(4)]
    return forge.submit([ALICE], requests).seal()


@wrong(2, "BODY_MISMATCH")
def a_payload_too_long() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(bytes(1024 * 1024 + 1))]).seal()


@wrong(2, "BODY_MISMATCH")
def a_content_type_too_long() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(body={1: "x" * 256})]).seal()


@wrong(2, "BODY_MISMATCH")
def a_body_that_is_none() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(encoded_body=b"no body")]).seal()


@wrong(2, "BODY_MISMATCH")
def clues_that_the_header_does_not_name() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(body={2: ["clue"]})]).seal()


@wrong(2, "BODY_MISMATCH")
def values_without_operations() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(body={3: [b"value"]})]).seal()


@wrong(2, "MALFORMED_LEAF")
def a_change_of_members_with_a_body() -> Forge:
    forge = founded()
    request = forge.request(kind=16, ext=[1, 3, CAROL.spki], body={0: b"payload"})
    return forge.submit([ALICE], [request]).seal()


@wrong(2, "BODY_MISMATCH")
def a_change_of_members_with_a_body_of_five_bytes() -> Forge:
    forge = founded()
    request = forge.request(kind=16, ext=[1, 3, CAROL.spki], encoded_body=b"\x84@`\x80\x81")
    return forge.submit([ALICE], [request]).seal()


@wrong(2, "BODY_MISMATCH")
def another_size_than_the_headers() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(header={8: 25})]).seal()


@wrong(2, "SALT_INVALID")
def a_salt_of_zeros() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(salt=bytes(32))]).seal()


@wrong(3, "SALT_INVALID")
def a_salt_twice_in_a_batch() -> Forge:
    forge = founded()
    salt = sha(b"twice")
    requests = [forge.request(payload, salt=salt) for payload in (b"a", b"b")]
    return forge.submit([ALICE], requests).seal()


def _with_state(jsn: int, state: int) -> Forge:
    forge = founded().submit([ALICE]).seal()
    forge.entries[jsn][2] = state
    return forge


@wrong(2, "BODY_MISSING")
def no_body() -> Forge:
    return _with_state(2, 1)


@wrong(2, "BODY_MISSING")
def an_erased_body() -> Forge:
    return _with_state(2, 3)


@wrong(2, "BODY_DAMAGED")
def a_damaged_body() -> Forge:
    return _with_state(2, 4)


@wrong(3, "BODY_UNEXPECTED")
def a_seal_with_an_erased_body() -> Forge:
    return _with_state(3, 3)


@wrong(0, "BODY_UNEXPECTED")
def genesis_with_an_erased_body() -> Forge:
    return _with_state(0, 3)


# Blocks, seals and heads


@wrong(3, "MALFORMED_LEAF")
def a_block_that_begins_too_early() -> Forge:
    return founded().submit([ALICE]).seal({5: 1, 3: 0})


@wrong(6, "WRONG_HEIGHT")
def a_height_left_out() -> Forge:
    return founded().submit([ALICE]).submit([ALICE]).seal().submit([ALICE]).seal({3: 1})


@wrong(3, "BROKEN_CHAIN")
def another_seal_before_it() -> Forge:
    return founded().submit([ALICE]).seal({4: sha(b"other")})


@wrong(3, "WRONG_ROOT")
def another_journal_root() -> Forge:
    return founded().submit([ALICE]).seal({6: sha(b"other")})


@wrong(3, "WRONG_FEATURE_ROOT")
def a_clue_root() -> Forge:
    return founded().submit([ALICE]).seal({7: sha(b"other")})


@wrong(3, "WRONG_FEATURE_ROOT")
def a_state_root() -> Forge:
    return founded().submit([ALICE]).seal({8: EMPTY_CLUE_ROOT})


@wrong(2, "MALFORMED_LEAF")
def an_empty_block() -> Forge:
    return founded().seal()


@wrong(2, "UNSEALED_END")
def an_end_without_a_seal() -> Forge:
    return founded().submit([ALICE])


@wrong(3, "HEAD_MISSING")
def no_head_receipt() -> bytes:
    return founded().submit([ALICE]).seal().log(head_receipt=b"")


@wrong(3, "HEAD_INVALID")
def a_head_receipt_of_another_leaf() -> bytes:
    forge = founded().submit([ALICE]).seal()
    return forge.log(head_receipt=cbor(forge.receipt_of(2)))


@wrong(3, "HEAD_INVALID")
def a_head_receipt_of_an_older_size() -> bytes:
    forge = founded().submit([ALICE]).seal()
    return forge.log(head_receipt=cbor(forge.receipt_of(1, 2)))


@wrong(3, "HEAD_INVALID")
def a_head_receipt_of_a_later_size() -> bytes:
    forge = founded().submit([ALICE]).seal()
    entries, checkpoint = list(forge.entries), forge.checkpoint()
    later = cbor(forge.submit([ALICE]).seal().receipt_of(3))
    forge.entries = entries
    return forge.log(checkpoint, later)


@wrong(1, "HEAD_INVALID")
def a_checkpoint_in_base64_that_is_not_canonical() -> bytes:
    forge = founded()
    note = forge.checkpoint()
    at = note.rindex(b"=\n") - 1
    alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    letter = alphabet[alphabet.index(note[at]) ^ 1]
    return forge.log(checkpoint=note[:at] + bytes([letter]) + note[at + 1 :])


@wrong(3, "HEAD_INVALID")
def a_checkpoint_of_an_older_size() -> bytes:
    forge = founded()
    note = forge.checkpoint()
    return forge.submit([ALICE]).seal().log(checkpoint=note)


@wrong(3, "HEAD_INVALID")
def a_receipt_of_another_authority() -> bytes:
    forge = founded().submit([ALICE]).seal()
    claims = {1: "other", 2: f"other/l/{forge.ledger_id.hex()}/0"}
    return forge.log(head_receipt=cbor(forge.receipt_of(3, labels={15: claims})))


@wrong(3, "HEAD_INVALID")
def a_receipt_by_the_note_key() -> bytes:
    forge = founded().submit([ALICE]).seal()
    forge.receipt = forge.note
    return forge.log()


@wrong(1, "HEAD_INVALID")
def a_note_of_two_lines_too_many() -> bytes:
    forge = founded()
    return forge.log(checkpoint=forge.checkpoint().replace(b"\n2\n", b"\n2\nmore\n"))


# The file itself


@wrong(0, "LOG_TRUNCATED")
def nothing() -> bytes:
    return b""


@wrong(0, "LOG_MALFORMED")
def another_magic() -> bytes:
    return b"TALLYLOX" + founded().log()[8:]


@wrong(0, "LOG_MALFORMED")
def another_version() -> bytes:
    return b"TALLYLOG\0\0\0\2" + founded().log()[12:]


@wrong(2, "LOG_MALFORMED")
def bytes_behind_the_end() -> bytes:
    return founded().log() + b"\0"


@wrong(2, "LOG_TRUNCATED")
def the_last_byte_cut_off() -> bytes:
    return founded().log()[:-1]


@wrong(2, "LOG_TRUNCATED")
def entries_cut_off() -> bytes:
    forge = founded()
    heads = prefixed(forge.checkpoint()) + prefixed(cbor(forge.receipt_of(1)))
    return forge.log()[: -len(heads)]


@wrong(1, "LOG_MALFORMED")
def a_body_state_that_is_none() -> Forge:
    return _with_state(1, 5)


@wrong(0, "LOG_TRUNCATED")
def a_log_of_no_leaves() -> bytes:
    forge = Forge([ALICE, BOB])
    return forge.log(checkpoint=b"", head_receipt=b"\xf6")
