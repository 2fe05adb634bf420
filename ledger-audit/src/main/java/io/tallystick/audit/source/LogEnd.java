package io.tallystick.audit.source;

import io.tallystick.model.Bytes;

/// The end of a log: the signed heads of its whole size. Nothing in it has been checked.
///
/// @param checkpoint a signed note; empty if the source has none of this size
/// @param headReceipt the COSE receipt of the last leaf at this size; empty if the source has none
/// @param demanded without which an audit fails. It follows from the kind of source, never from
///   what was found there: else an operator that takes a receipt away would be spared its check
public record LogEnd(Bytes checkpoint, Bytes headReceipt, Demanded demanded) {
  public static final LogEnd NONE = new LogEnd(Bytes.EMPTY, Bytes.EMPTY);

  /// A signed head of one form. Whatever else is there is checked too.
  public enum Demanded {
    /// By a service and by a saved copy of its log.
    RECEIPT,
    /// By public files, which have no receipts.
    CHECKPOINT
  }

  /// The end of a log in a source that has receipts.
  public LogEnd(Bytes checkpoint, Bytes headReceipt) {
    this(checkpoint, headReceipt, Demanded.RECEIPT);
  }

  /// The end of a log in public files.
  static LogEnd ofPublicFiles(Bytes checkpoint) {
    return new LogEnd(checkpoint, Bytes.EMPTY, Demanded.CHECKPOINT);
  }
}
