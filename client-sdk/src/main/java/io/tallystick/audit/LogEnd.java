package io.tallystick.audit;

import io.tallystick.model.Bytes;

/// What closes a log: the signed heads of its whole size. Nothing in it has been checked.
///
/// @param checkpoint a signed note; empty if the source has none of this size
/// @param headReceipt the COSE receipt of the last leaf at this size; empty where logs are read
///   from public files, which have none
public record LogEnd(Bytes checkpoint, Bytes headReceipt) {
  static final LogEnd NONE = new LogEnd(Bytes.EMPTY, Bytes.EMPTY);
}
