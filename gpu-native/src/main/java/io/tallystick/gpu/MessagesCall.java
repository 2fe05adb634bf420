package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import io.tallystick.model.Digest;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.random.RandomGenerator;

/// Messages that lie one behind the other. What differs where they are of one length, or of any, is
/// in {@link AnyLength} and {@link EqualLength}.
abstract sealed class MessagesCall implements DeviceCall {
  private final RingSizes sizes;
  private final MessageHash hash;
  private final MemorySegment messages;
  private final int count;
  private final MemorySegment digests;

  private MessagesCall(
      RingSizes sizes, MessageHash hash, MemorySegment messages, int count, MemorySegment digests) {
    this.sizes = sizes;
    this.hash = hash;
    this.messages = messages;
    this.count = count;
    this.digests = digests;
  }

  /// Where a message begins, or the last ends.
  abstract long offset(int message);

  abstract void launch(Lane lane, int first, int chunk) throws DeviceLostException;

  @Override
  public final int units() {
    return count;
  }

  @Override
  public final int chunk(int first) {
    int fits = 0; // as many are known to fit
    int above =
        Math.min(sizes.messagesMax(), count - first) + 1; // so many do not, or are not there
    while (above - fits > 1) {
      int middle = (fits + above) >>> 1;
      if (offset(first + middle) - offset(first) <= sizes.ringBytes()) {
        fits = middle;
      } else {
        above = middle;
      }
    }
    return fits;
  }

  @Override
  public final void computeOnCpu(int unit) {
    digests(unit, 1).copyFrom(hash.onCpu(messages(unit, 1)));
  }

  @Override
  public final void start(Lane lane, int first, int chunk) throws DeviceLostException {
    lane.copyIn(messages(first, chunk));
    launch(lane, first, chunk);
    lane.copyOut((long) chunk * Digest.BYTES);
  }

  @Override
  public final void finish(MemorySegment output, int first, int chunk) {
    MemorySegment.copy(
        output, 0, digests, (long) first * Digest.BYTES, (long) chunk * Digest.BYTES);
  }

  @Override
  public final void checkOne(RandomGenerator random) throws DeviceLostException {
    int unit = random.nextInt(count);
    if (hash.onCpu(messages(unit, 1)).mismatch(digests(unit, 1)) >= 0) {
      throw new DeviceLostException(
          String.format(
              Locale.ROOT,
              "the device answered with a wrong digest, of message %d of %d, %s",
              unit,
              count,
              hash));
    }
  }

  private MemorySegment messages(int first, int chunk) {
    return messages.asSlice(offset(first), offset(first + chunk) - offset(first));
  }

  private MemorySegment digests(int first, int chunk) {
    return digests.asSlice((long) first * Digest.BYTES, (long) chunk * Digest.BYTES);
  }

  /// Messages of any length, also 0.
  static final class AnyLength extends MessagesCall {
    private final MessageHash hash;
    private final int[] offsets;

    AnyLength(
        RingSizes sizes,
        MessageHash hash,
        MemorySegment messages,
        int[] offsets,
        int count,
        MemorySegment digests) {
      super(sizes, hash, messages, count, digests);
      this.hash = hash;
      this.offsets = offsets;
    }

    @Override
    long offset(int message) {
      return offsets[message];
    }

    @Override
    void launch(Lane lane, int first, int chunk) throws DeviceLostException {
      lane.copyOffsets(offsets, first, chunk);
      LaunchParameters parameters =
          lane.parameters()
              .pointer(lane.input())
              .pointer(lane.offsets())
              .word(offsets[first])
              .word(chunk);
      switch (hash) {
        case SHA256 -> parameters.word(Kernel.NO_PREFIX);
        case LEAVES -> parameters.word(Kernel.LEAF_PREFIX);
        case KECCAK256 -> {}
      }
      parameters.pointer(lane.output());
      lane.launch(hash.kernel(), chunk);
    }
  }

  /// Messages of one length, by SHA-256.
  static final class EqualLength extends MessagesCall {
    private final int stride;

    EqualLength(
        RingSizes sizes, MemorySegment messages, int stride, int count, MemorySegment digests) {
      super(sizes, MessageHash.SHA256, messages, count, digests);
      this.stride = stride;
    }

    @Override
    long offset(int message) {
      return (long) message * stride;
    }

    @Override
    void launch(Lane lane, int first, int chunk) throws DeviceLostException {
      lane.parameters().pointer(lane.input()).word(stride).word(chunk).pointer(lane.output());
      lane.launch(Kernel.SHA256_STRIDED, chunk);
    }
  }
}
