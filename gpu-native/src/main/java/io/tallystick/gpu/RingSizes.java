package io.tallystick.gpu;

import io.tallystick.model.Digest;

/// Page-locked memory, and memory of the device, that is taken when it is opened: what a call is
/// cut to, and what buffers are lent from.
///
/// @param ringBytes of messages or leaves that one stream holds, a power of two; it has as much for
///   digests
/// @param lentBytes of all buffers that are lent at a time; page-locked alone
record RingSizes(int ringBytes, int lentBytes) {
  static final RingSizes STANDARD = new RingSizes(16 << 20, 64 << 20);

  private static final int RING_BYTES_MIN = 1 << 16;

  RingSizes {
    if (ringBytes < RING_BYTES_MIN || Integer.bitCount(ringBytes) != 1 || lentBytes < 0) {
      throw new IllegalArgumentException(ringBytes + " and " + lentBytes);
    }
  }

  /// Messages that one stream holds, if they are short enough: it has room for the digests of all.
  int messagesMax() {
    return ringBytes / Digest.BYTES;
  }

  /// Offsets of `messagesMax` messages and one more, rounded up to a multiple of 256.
  int offsetBytes() {
    return (messagesMax() + 64) * Integer.BYTES;
  }

  boolean canBeHalved() {
    return ringBytes > RING_BYTES_MIN;
  }

  RingSizes halved() {
    return new RingSizes(ringBytes / 2, lentBytes / 2);
  }
}
