package io.tallystick.node;

import io.tallystick.evidence.Anchor;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;

/// A trusted anchor as a member signed it; its signature was found good when it came.
///
/// @param kid of the member that signed
/// @param encoded the COSE_Sign1
public record KeptAnchor(Anchor anchor, Digest kid, Bytes encoded) {}
