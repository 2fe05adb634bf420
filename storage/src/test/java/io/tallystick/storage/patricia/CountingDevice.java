package io.tallystick.storage.patricia;

import io.tallystick.crypto.BatchHasher;
import io.tallystick.crypto.HashDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// A device that computes on the CPU, wants every call, and counts what it hashes with Keccak and
/// which memory it has lent.
final class CountingDevice implements HashDevice {
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger messages = new AtomicInteger();
  private final Map<Long, Arena> lent = new ConcurrentHashMap<>();

  CountingDevice() {}

  int takeCalls() {
    return calls.getAndSet(0);
  }

  int takeMessages() {
    return messages.getAndSet(0);
  }

  int lent() {
    return lent.size();
  }

  @Override
  public String name() {
    return "counting";
  }

  @Override
  public int worthwhileMessages() {
    return 1;
  }

  @Override
  public void leaves(MemorySegment data, int[] offsets, int count, MemorySegment digests) {
    BatchHasher.cpu().leaves(data, offsets, count, digests);
  }

  @Override
  public void keccak256(MemorySegment data, int[] offsets, int count, MemorySegment digests) {
    calls.incrementAndGet();
    messages.addAndGet(count);
    BatchHasher.cpu().keccak256(data, offsets, count, digests);
  }

  @Override
  public void parents(MemorySegment children, int count, MemorySegment parents) {
    BatchHasher.cpu().parents(children, count, parents);
  }

  @Override
  public void subtrees(MemorySegment leaves, int width, int count, MemorySegment nodes) {
    BatchHasher.cpu().subtrees(leaves, width, count, nodes);
  }

  @Override
  public Optional<MemorySegment> lend(int bytes) {
    Arena arena = Arena.ofShared();
    MemorySegment memory = arena.allocate(bytes);
    lent.put(memory.address(), arena);
    return Optional.of(memory);
  }

  @Override
  public void takeBack(MemorySegment memory) {
    Objects.requireNonNull(lent.remove(memory.address()), "not lent").close();
  }

  @Override
  public void close() {}
}
