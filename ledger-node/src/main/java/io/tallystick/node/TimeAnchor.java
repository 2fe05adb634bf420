package io.tallystick.node;

import io.tallystick.journal.TimeProof;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;

/// A head with an outsider's word on when it existed. Whoever made it has verified the proof.
///
/// @param head that was stamped
/// @param proof a token of a time authority, or the entry of a T-Ledger
/// @param provenMs when it was stamped: a token's genTime, or the time of the entry's leaf
public record TimeAnchor(StrandId strand, Checkpoint head, TimeProof proof, long provenMs) {}
