package io.tallystick.client;

import io.tallystick.evidence.Anchor;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;

/// A trusted anchor of another member, joined to the trusted log: that member says that it has
/// verified the log up to there.
///
/// @param signed what it says, and who signed
/// @param head of the service, of the same size and root
/// @param encoded the anchor itself, to keep or hand on
public record VerifiedAnchor(Anchor.Signed signed, SignedHead head, Bytes encoded) {}
