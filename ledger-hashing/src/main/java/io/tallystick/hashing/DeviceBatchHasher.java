package io.tallystick.hashing;

import io.tallystick.model.Digest;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Hashes large calls on a device and small ones on the CPU. The first call that the device does
/// not finish is computed again on the CPU, told once, and the device is not used any more. So its
/// callers never see that a device was lost.
public final class DeviceBatchHasher implements BatchHasher {
  private static final BatchHasher CPU = BatchHasher.cpu();

  /// A caller that may choose puts this many times the break-even batch into a call.
  private static final int BREAK_EVENS = 16;

  private static final int CALL_MESSAGES_MAX = 1 << 17;

  private final HashDevice device;
  private final Consumer<DeviceLostException> onLost;
  private final AtomicReference<@Nullable DeviceLostException> lost = new AtomicReference<>();
  private final HashMemory lent = new Lent();

  /// @param device not closed by this hasher
  /// @param onLost called once, by the thread whose call met it
  public DeviceBatchHasher(HashDevice device, Consumer<DeviceLostException> onLost) {
    this.device = device;
    this.onLost = onLost;
  }

  /// The device's memory, and the heap's where it has none left or was lost.
  private final class Lent implements HashMemory {
    @Override
    public MemorySegment take(int bytes) {
      return lost.get() == null
          ? device.lend(bytes).orElseGet(() -> HEAP.take(bytes))
          : HEAP.take(bytes);
    }

    @Override
    public void giveBack(MemorySegment memory) {
      if (memory.isNative()) {
        device.takeBack(memory);
      }
    }
  }

  @FunctionalInterface
  private interface Call {
    void run() throws DeviceLostException;
  }

  @Override
  public void sha256(
      byte[] messages, int offset, int stride, int count, byte[] digests, int digestOffset) {
    Ranges.checkStrided(messages, offset, stride, count, digests, digestOffset);
    MemorySegment from = MemorySegment.ofArray(messages).asSlice(offset, (long) stride * count);
    MemorySegment to = digests(digests, digestOffset, count);
    if (!isDone(count, () -> device.sha256(from, stride, count, to))) {
      CPU.sha256(messages, offset, stride, count, digests, digestOffset);
    }
  }

  @Override
  public void sha256(byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset) {
    Ranges.checkMessages(messages, offsets, count, digests, digestOffset);
    MemorySegment to = digests(digests, digestOffset, count);
    if (!isDone(count, () -> device.sha256(MemorySegment.ofArray(messages), offsets, count, to))) {
      CPU.sha256(messages, offsets, count, digests, digestOffset);
    }
  }

  @Override
  public void leaves(byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset) {
    Ranges.checkMessages(messages, offsets, count, digests, digestOffset);
    MemorySegment to = digests(digests, digestOffset, count);
    if (!isDone(count, () -> device.leaves(MemorySegment.ofArray(messages), offsets, count, to))) {
      CPU.leaves(messages, offsets, count, digests, digestOffset);
    }
  }

  @Override
  public void keccak256(
      byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset) {
    Ranges.checkMessages(messages, offsets, count, digests, digestOffset);
    MemorySegment to = digests(digests, digestOffset, count);
    if (!isDone(
        count, () -> device.keccak256(MemorySegment.ofArray(messages), offsets, count, to))) {
      CPU.keccak256(messages, offsets, count, digests, digestOffset);
    }
  }

  @Override
  public void parents(
      byte[] children, int childOffset, int count, byte[] parents, int parentOffset) {
    Ranges.checkParents(children, childOffset, count, parents, parentOffset);
    if (!isWorthwhile(count)) {
      CPU.parents(children, childOffset, count, parents, parentOffset);
      return;
    }
    // Into an array of its own: a half-done call must not spoil children that lie there too.
    byte[] made = new byte[count * Digest.BYTES];
    MemorySegment from =
        MemorySegment.ofArray(children).asSlice(childOffset, 2L * count * Digest.BYTES);
    if (isDone(count, () -> device.parents(from, count, MemorySegment.ofArray(made)))) {
      System.arraycopy(made, 0, parents, parentOffset, made.length);
    } else {
      CPU.parents(children, childOffset, count, parents, parentOffset);
    }
  }

  @Override
  public void subtrees(
      byte[] leaves, int leafOffset, int width, int count, byte[] nodes, int nodeOffset) {
    Ranges.checkSubtrees(leaves, leafOffset, width, count, nodes, nodeOffset);
    int all = count * width;
    MemorySegment from = digests(leaves, leafOffset, all);
    MemorySegment to = digests(nodes, nodeOffset, all - count);
    if (!isDone(all, () -> device.subtrees(from, width, count, to))) {
      CPU.subtrees(leaves, leafOffset, width, count, nodes, nodeOffset);
    }
  }

  @Override
  public void subtrees(MemorySegment leaves, int width, int count, MemorySegment nodes) {
    Ranges.checkSubtrees(leaves, width, count, nodes);
    if (!isDone(count * width, () -> device.subtrees(leaves, width, count, nodes))) {
      CPU.subtrees(leaves, width, count, nodes);
    }
  }

  @Override
  public void leaves(MemorySegment messages, int[] offsets, int count, MemorySegment digests) {
    Ranges.checkMessages(messages, offsets, count, digests);
    if (!isDone(count, () -> device.leaves(messages, offsets, count, digests))) {
      CPU.leaves(messages, offsets, count, digests);
    }
  }

  @Override
  public void keccak256(MemorySegment messages, int[] offsets, int count, MemorySegment digests) {
    Ranges.checkMessages(messages, offsets, count, digests);
    if (!isDone(count, () -> device.keccak256(messages, offsets, count, digests))) {
      CPU.keccak256(messages, offsets, count, digests);
    }
  }

  /// In the device's memory while there is some.
  @Override
  public HashBuffer buffer(int bytes) {
    return new HashBuffer(lent, bytes);
  }

  @Override
  public int callMessages() {
    if (lost.get() != null) {
      return CPU.callMessages();
    }
    int worthwhile = device.worthwhileMessages();
    int gainful = (int) Math.min((long) BREAK_EVENS * worthwhile, CALL_MESSAGES_MAX);
    return Math.max(Math.max(worthwhile, gainful), CPU.callMessages());
  }

  @Override
  public Support support() {
    DeviceLostException cause = lost.get();
    return cause == null
        ? new Support.Available(device.name())
        : new Support.Unsupported(device.name() + " was lost: " + cause.getMessage());
  }

  private boolean isWorthwhile(int count) {
    return count >= device.worthwhileMessages() && lost.get() == null;
  }

  private boolean isDone(int count, Call call) {
    if (!isWorthwhile(count)) {
      return false;
    }
    try {
      call.run();
      return true;
    } catch (DeviceLostException e) {
      if (lost.compareAndSet(null, e)) {
        onLost.accept(e);
      }
      return false;
    }
  }

  private static MemorySegment digests(byte[] digests, int offset, int count) {
    return MemorySegment.ofArray(digests).asSlice(offset, (long) count * Digest.BYTES);
  }
}
