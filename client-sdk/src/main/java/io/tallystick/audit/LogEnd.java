package io.tallystick.audit;

import io.tallystick.model.Bytes;

/// What closes a log: the signed heads of its whole size. Nothing in it has been checked.
///
/// @param checkpoint a signed note; empty if the source has none of this size
/// @param headReceipt the COSE receipt of the last leaf at this size
public record LogEnd(Bytes checkpoint, Bytes headReceipt) {}
