package io.tallystick.hashing;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/// A device that hashes in bulk, such as a GPU. Its methods compute what the methods of the same
/// name of {@link BatchHasher} do; arguments are in range. Thread-safe.
public interface HashDevice extends AutoCloseable {
  /// Its name and what is known of it, for people.
  String name();

  /// How many messages a call needs to be faster than on the CPU, from 1.
  int worthwhileMessages();

  /// @param messages message `i` at `i * stride`
  /// @throws DeviceLostException if it did not finish; `digests` is then undefined
  void sha256(MemorySegment messages, int stride, int count, MemorySegment digests)
      throws DeviceLostException;

  /// @throws DeviceLostException if it did not finish; `digests` is then undefined
  void sha256(MemorySegment messages, int[] offsets, int count, MemorySegment digests)
      throws DeviceLostException;

  /// @throws DeviceLostException if it did not finish; `digests` is then undefined
  void leaves(MemorySegment messages, int[] offsets, int count, MemorySegment digests)
      throws DeviceLostException;

  /// @throws DeviceLostException if it did not finish; `digests` is then undefined
  void keccak256(MemorySegment messages, int[] offsets, int count, MemorySegment digests)
      throws DeviceLostException;

  /// @param parents does not overlap `children`
  /// @throws DeviceLostException if it did not finish; `parents` is then undefined
  void parents(MemorySegment children, int count, MemorySegment parents) throws DeviceLostException;

  /// @param nodes does not overlap `leaves`
  /// @throws DeviceLostException if it did not finish; `nodes` is then undefined
  void subtrees(MemorySegment leaves, int width, int count, MemorySegment nodes)
      throws DeviceLostException;

  /// Native memory that it copies from fastest, such as page-locked memory; empty if it has none
  /// left. Any thread may use it, also after the device was lost, until it is taken back.
  Optional<MemorySegment> lend(int bytes);

  /// Takes back what it lent, before it is closed.
  void takeBack(MemorySegment memory);

  /// Gives the device back. Calls under way end first.
  @Override
  void close();
}
