package io.tallystick.node;

import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;

/// A head with a time authority's word on it. Whoever made it has verified the token.
///
/// @param head whose three lines are stamped
/// @param token a TimeStampToken, as `docs/formats/time-token.md` has it
/// @param genTimeMs when the authority stamped it
public record TimeAnchor(StrandId strand, Checkpoint head, Bytes token, long genTimeMs) {}
