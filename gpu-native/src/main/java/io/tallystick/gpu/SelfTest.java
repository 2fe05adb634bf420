package io.tallystick.gpu;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.hashing.HashDevice;
import io.tallystick.model.Digest;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.SplittableRandom;

/// Every kernel against the CPU, before the device is used: messages of lengths around the bounds
/// of the padding of SHA-256 and of Keccak-256, and subtrees of one launch and of two.
final class SelfTest {
  private static final int[] LENGTHS = {
    0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 53, 54, 55, 56, 57, 62, 63, 64, 65, 66, 117, 118, 119,
    120, 121, 126, 127, 128, 129, 134, 135, 136, 137, 138, 183, 184, 191, 192, 193, 270, 271, 272,
    273, 290
  };
  private static final int[] STRIDES = {1, 55, 64, 120};
  private static final int STRIDED = 40;
  private static final int[] WIDTHS = {2, 1024};

  private final HashDevice device;
  private final SplittableRandom random = new SplittableRandom(7);

  private SelfTest(HashDevice device) {
    this.device = device;
  }

  /// @throws DeviceUnavailableException if the device computes another digest than the CPU
  static void run(HashDevice device) throws DeviceLostException, DeviceUnavailableException {
    SelfTest test = new SelfTest(device);
    test.hashMessages();
    test.hashMessagesOfOneLength();
    test.hashSubtrees();
  }

  private void hashMessages() throws DeviceLostException, DeviceUnavailableException {
    int count = LENGTHS.length;
    int[] offsets = new int[count + 1];
    for (int i = 0; i < count; i++) {
      offsets[i + 1] = offsets[i] + LENGTHS[i];
    }
    byte[] messages = bytes(offsets[count]);
    MemorySegment from = MemorySegment.ofArray(messages);
    byte[] want = new byte[count * Digest.BYTES];
    byte[] made = new byte[want.length];
    MemorySegment to = MemorySegment.ofArray(made);
    BatchHasher.cpu().sha256(messages, offsets, count, want, 0);
    device.sha256(from, offsets, count, to);
    check("SHA-256", want, made);
    BatchHasher.cpu().leaves(messages, offsets, count, want, 0);
    device.leaves(from, offsets, count, to);
    check("leaf hashes", want, made);
    BatchHasher.cpu().keccak256(messages, offsets, count, want, 0);
    device.keccak256(from, offsets, count, to);
    check("Keccak-256", want, made);
  }

  private void hashMessagesOfOneLength() throws DeviceLostException, DeviceUnavailableException {
    for (int stride : STRIDES) {
      byte[] messages = bytes(STRIDED * stride);
      byte[] want = new byte[STRIDED * Digest.BYTES];
      byte[] made = new byte[want.length];
      BatchHasher.cpu().sha256(messages, 0, stride, STRIDED, want, 0);
      device.sha256(MemorySegment.ofArray(messages), stride, STRIDED, MemorySegment.ofArray(made));
      check("SHA-256 of " + stride + " bytes", want, made);
    }
  }

  private void hashSubtrees() throws DeviceLostException, DeviceUnavailableException {
    for (int width : WIDTHS) {
      int count = width == 2 ? 3 : 1;
      byte[] leaves = bytes(count * width * Digest.BYTES);
      byte[] want = new byte[count * (width - 1) * Digest.BYTES];
      byte[] made = new byte[want.length];
      BatchHasher.cpu().subtrees(leaves, 0, width, count, want, 0);
      device.subtrees(MemorySegment.ofArray(leaves), width, count, MemorySegment.ofArray(made));
      check("subtrees of " + width + " leaves", want, made);
    }
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private void check(String what, byte[] want, byte[] made) throws DeviceUnavailableException {
    long different = MemorySegment.ofArray(want).mismatch(MemorySegment.ofArray(made));
    if (different >= 0) {
      throw new DeviceUnavailableException(
          String.format(
              Locale.ROOT,
              "%s computes wrong digests: %s, number %d of %d",
              device.name(),
              what,
              different / Digest.BYTES,
              want.length / Digest.BYTES));
    }
  }
}
