package io.tallystick.proxy.edge;

/// The lengths of messages that are taken.
final class MessageLimits {
  /// An Append message: a batch of 4 MiB and what the wire adds to 10,000 requests.
  static final int APPEND_BYTES_MAX = 5 << 20;

  /// A message that appends nothing. The largest founds a ledger: the signatures of 16 owners.
  static final int REQUEST_BYTES_MAX = 128 << 10;

  /// A Verify message: a payload of 1 MiB, or a receipt file.
  static final int VERIFY_BYTES_MAX = (1 << 20) + (64 << 10);

  /// The bytes that the transport lets through, so that something is left to answer; beyond, it
  /// ends the call itself without reading, and there is no problem.
  static final int TRANSPORT_BYTES_MAX = 8 << 20;

  private MessageLimits() {}
}
