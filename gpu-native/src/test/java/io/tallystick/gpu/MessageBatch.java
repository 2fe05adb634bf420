package io.tallystick.gpu;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/// Random messages that lie one behind the other.
final class MessageBatch {
  private static final int WORD_BYTES = 4;

  private final byte[] bytes;
  private final int[] offsets;

  private MessageBatch(RandomGenerator random, List<Integer> lengths) {
    offsets = new int[lengths.size() + 1];
    for (int i = 0; i < lengths.size(); i++) {
      offsets[i + 1] = offsets[i] + lengths.get(i);
    }
    bytes = new byte[offsets[lengths.size()]];
    random.nextBytes(bytes);
  }

  static MessageBatch of(RandomGenerator random, List<Integer> lengths) {
    return new MessageBatch(random, lengths);
  }

  /// One message of each length that begins at each place in a word of 4 bytes, and those short
  /// ones between them that this takes.
  static MessageBatch atEveryPlace(RandomGenerator random, List<Integer> lengths) {
    List<Integer> all = new ArrayList<>();
    int end = 0;
    for (int length : lengths) {
      for (int place = 0; place < WORD_BYTES; place++) {
        int between = Math.floorMod(place - end, WORD_BYTES);
        all.add(between);
        all.add(length);
        end += between + length;
      }
    }
    return new MessageBatch(random, all);
  }

  int count() {
    return offsets.length - 1;
  }

  byte[] bytes() {
    return bytes;
  }

  /// Where each message begins, and where the last ends.
  int[] offsets() {
    return offsets;
  }
}
