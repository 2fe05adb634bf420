package io.tallystick.hashing;

import io.tallystick.model.Digest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Messages that a caller serialises one behind the other, and their digests, in memory that a
/// {@link BatchHasher} lends: on the heap, or where a device copies from without a copy before. It
/// grows as it is filled. One thread's at a time; closing it gives the memory back, and nothing is
/// done with it afterwards.
public final class HashBuffer implements AutoCloseable {
  private static final int BYTES_MIN = 64;
  private static final int MESSAGES_MIN = 16;

  private final HashMemory memory;
  private MemorySegment messages;
  private byte @Nullable [] messageArray; // of what is on the heap
  private MemorySegment digests;
  private byte @Nullable [] digestArray;
  private int[] offsets = new int[MESSAGES_MIN + 1];
  private int length; // of all that was put
  private int count;
  private int hashed; // messages whose digests are there

  @FunctionalInterface
  interface OverSegments {
    void hash(MemorySegment messages, int[] offsets, int count, MemorySegment digests);
  }

  /// @param bytes that it has room for before it grows
  HashBuffer(HashMemory memory, int bytes) {
    this.memory = memory;
    this.messages = memory.take(Math.max(bytes, BYTES_MIN));
    this.messageArray = array(messages);
    this.digests = memory.take(MESSAGES_MIN * Digest.BYTES);
    this.digestArray = array(digests);
  }

  private static byte @Nullable [] array(MemorySegment memory) {
    return memory.heapBase().orElse(null) instanceof byte[] array ? array : null;
  }

  /// Forgets all messages, and keeps the memory.
  public void clear() {
    length = 0;
    count = 0;
    hashed = 0;
  }

  /// Adds bytes to the message that is being written.
  ///
  /// @throws ArithmeticException if all messages together would have 2³¹ bytes or more
  public HashBuffer put(byte[] bytes, int offset, int size) {
    Objects.checkFromIndexSize(offset, size, bytes.length);
    room(size);
    byte[] array = messageArray;
    if (array != null) {
      System.arraycopy(bytes, offset, array, length, size);
    } else {
      MemorySegment.copy(bytes, offset, messages, ValueLayout.JAVA_BYTE, length, size);
    }
    length += size;
    return this;
  }

  /// Ends the message that is being written, which may be empty.
  public void endMessage() {
    if (++count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
    }
    offsets[count] = length;
    hashed = 0;
  }

  /// Messages that were ended.
  public int count() {
    return count;
  }

  /// Bytes of all messages together.
  public int length() {
    return length;
  }

  /// Copies the digests of all messages, 32 bytes each.
  ///
  /// @throws IllegalStateException if a hasher has not hashed all of them
  public void digests(byte[] target, int offset) {
    checkHashed();
    MemorySegment.copy(digests, ValueLayout.JAVA_BYTE, 0, target, offset, count * Digest.BYTES);
  }

  /// Copies the digest of one message.
  ///
  /// @throws IllegalStateException if a hasher has not hashed all of them
  public void digest(int index, byte[] target, int offset) {
    checkHashed();
    Objects.checkIndex(index, count);
    long from = (long) index * Digest.BYTES;
    MemorySegment.copy(digests, ValueLayout.JAVA_BYTE, from, target, offset, Digest.BYTES);
  }

  private void checkHashed() {
    if (hashed != count) {
      throw new IllegalStateException(hashed + " of " + count + " messages are hashed");
    }
  }

  /// Gives the memory back.
  @Override
  public void close() {
    memory.giveBack(messages);
    memory.giveBack(digests);
  }

  /// Hashes all messages, over arrays what is in arrays.
  ///
  /// @throws IllegalStateException if the last message has no end
  void hash(Segments.OverArrays overArrays, OverSegments overSegments) {
    if (length != offsets[count]) {
      throw new IllegalStateException("message " + count + " has no end");
    }
    digestRoom();
    byte[] from = messageArray;
    byte[] to = digestArray;
    if (from != null && to != null) {
      overArrays.hash(from, offsets, count, to, 0);
    } else {
      overSegments.hash(messages, offsets, count, digests);
    }
    hashed = count;
  }

  private void room(int size) {
    int needed = Math.addExact(length, size);
    if (needed > messages.byteSize()) {
      MemorySegment grown = memory.take((int) Math.min(Integer.MAX_VALUE, 2L * needed));
      MemorySegment.copy(messages, 0, grown, 0, length);
      memory.giveBack(messages);
      messages = grown;
      messageArray = array(grown);
    }
  }

  private void digestRoom() {
    long needed = (long) count * Digest.BYTES;
    if (needed > digests.byteSize()) {
      MemorySegment grown = memory.take(Math.toIntExact(2 * needed));
      memory.giveBack(digests);
      digests = grown;
      digestArray = array(grown);
    }
  }
}
