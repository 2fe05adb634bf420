package io.tallystick.testkit.hashing;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.hashing.HashDevice;
import io.tallystick.model.Digest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// A device that computes on the CPU and is lost after some calls; a call that it does not finish
/// leaves half of its result. It counts what it is asked for and what it has lent.
public final class FakeDevice implements HashDevice {
  private final int worthwhile;
  private final int finished;
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger messages = new AtomicInteger();
  private final AtomicInteger asked = new AtomicInteger();
  private final Map<Long, Arena> lent = new ConcurrentHashMap<>();

  public FakeDevice(int worthwhile, int finished) {
    this.worthwhile = worthwhile;
    this.finished = finished;
  }

  public int calls() {
    return calls.get();
  }

  /// Messages that it hashed, without those of equal length.
  public int messages() {
    return messages.get();
  }

  @Override
  public String name() {
    return "fake";
  }

  @Override
  public int worthwhileMessages() {
    return worthwhile;
  }

  @Override
  public void sha256(MemorySegment data, int stride, int count, MemorySegment digests)
      throws DeviceLostException {
    byte[] made = new byte[count * Digest.BYTES];
    BatchHasher.cpu().sha256(data.toArray(ValueLayout.JAVA_BYTE), 0, stride, count, made, 0);
    digests.copyFrom(MemorySegment.ofArray(made));
    end(digests);
  }

  @Override
  public void sha256(MemorySegment data, int[] offsets, int count, MemorySegment digests)
      throws DeviceLostException {
    byte[] made = new byte[count * Digest.BYTES];
    BatchHasher.cpu().sha256(data.toArray(ValueLayout.JAVA_BYTE), offsets, count, made, 0);
    digests.copyFrom(MemorySegment.ofArray(made));
    messages.addAndGet(count);
    end(digests);
  }

  @Override
  public void leaves(MemorySegment data, int[] offsets, int count, MemorySegment digests)
      throws DeviceLostException {
    BatchHasher.cpu().leaves(data, offsets, count, digests);
    messages.addAndGet(count);
    end(digests);
  }

  @Override
  public void keccak256(MemorySegment data, int[] offsets, int count, MemorySegment digests)
      throws DeviceLostException {
    BatchHasher.cpu().keccak256(data, offsets, count, digests);
    messages.addAndGet(count);
    end(digests);
  }

  @Override
  public void parents(MemorySegment children, int count, MemorySegment parents)
      throws DeviceLostException {
    BatchHasher.cpu().parents(children, count, parents);
    end(parents);
  }

  @Override
  public void subtrees(MemorySegment leaves, int width, int count, MemorySegment nodes)
      throws DeviceLostException {
    BatchHasher.cpu().subtrees(leaves, width, count, nodes);
    end(nodes);
  }

  /// Every other time, as if others had taken its memory.
  @Override
  public Optional<MemorySegment> lend(int bytes) {
    if (asked.incrementAndGet() % 2 == 0) {
      return Optional.empty();
    }
    Arena arena = Arena.ofShared();
    MemorySegment memory = arena.allocate(bytes);
    lent.put(memory.address(), arena);
    return Optional.of(memory);
  }

  /// Pieces of memory that were not given back.
  public int lent() {
    return lent.size();
  }

  @Override
  public void takeBack(MemorySegment memory) {
    Objects.requireNonNull(lent.remove(memory.address()), "not lent").close();
  }

  private void end(MemorySegment result) throws DeviceLostException {
    if (calls.incrementAndGet() > finished) {
      result.asSlice(0, result.byteSize() / 2).fill((byte) 0xee);
      throw new DeviceLostException("after " + finished + " calls");
    }
  }

  @Override
  public void close() {}
}
