package io.tallystick.gpu;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Digest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// What is computed of messages of any length.
enum MessageHash {
  SHA256(Kernel.SHA256),
  /// RFC 9162's leaf hashes.
  LEAVES(Kernel.SHA256),
  KECCAK256(Kernel.KECCAK256);

  private final Kernel kernel;

  MessageHash(Kernel kernel) {
    this.kernel = kernel;
  }

  Kernel kernel() {
    return kernel;
  }

  /// The digest of one message.
  MemorySegment onCpu(MemorySegment message) {
    byte[] bytes = message.toArray(ValueLayout.JAVA_BYTE);
    int[] offsets = {0, bytes.length};
    byte[] digest = new byte[Digest.BYTES];
    switch (this) {
      case SHA256 -> BatchHasher.cpu().sha256(bytes, offsets, 1, digest, 0);
      case LEAVES -> BatchHasher.cpu().leaves(bytes, offsets, 1, digest, 0);
      case KECCAK256 -> BatchHasher.cpu().keccak256(bytes, offsets, 1, digest, 0);
    }
    return MemorySegment.ofArray(digest);
  }
}
