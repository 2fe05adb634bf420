package io.tallystick.bench.state;

import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.merkle.forest.PartitionSearch;
import io.tallystick.merkle.forest.Separators;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.stream.IntStream;

/// What a verified proof must say, and the bare hashes of one: how long the messages are that a
/// verifier cannot leave out.
final class ProofCheck {
  private static final int LEAF_HEAD_BYTES = 1;
  private static final int NODE_BYTES = 65;
  private static final int STATE_ROOT_BYTES = 56;

  /// A node's hash covers a prefix, an array of level and count, and two hashes.
  private static final int NODE_HASH_BYTES = 4 + 2 * (2 + Digest.BYTES);

  private ProofCheck() {}

  static void requirePresent(StateAnswer answer) {
    if (!(answer instanceof StateAnswer.Present)) {
      throw new AssertionError("a key that was put is " + answer);
    }
  }

  static void requireAbsent(StateAnswer answer) {
    if (!(answer instanceof StateAnswer.Absent)) {
      throw new AssertionError("a key that was never put is " + answer);
    }
  }

  /// The lengths of the messages that the verification of a proof hashes.
  static int[] messages(StateLookup lookup) {
    IntStream.Builder lengths = IntStream.builder();
    int joins = lookup.searches().size() + lookup.roots().size() - 1;
    IntStream.range(0, joins).forEach(_ -> lengths.add(NODE_BYTES));
    lengths.add(STATE_ROOT_BYTES);
    for (PartitionSearch search : lookup.searches()) {
      lengths.add(LEAF_HEAD_BYTES + search.partition().size());
      for (PartitionSearch.Step step : search.steps()) {
        lengths.add(LEAF_HEAD_BYTES + step.record().size());
        step.path().forEach(_ -> lengths.add(NODE_BYTES));
        lengths.add(1 + encodedBytes(step.separators()));
        lengths.add(NODE_HASH_BYTES + CborWriter.headBytes(step.separators().size() + 1L));
      }
    }
    return lengths.build().toArray();
  }

  private static int encodedBytes(Separators separators) {
    int shared = sharedBytes(separators);
    int bytes = 1 + CborWriter.headBytes(shared) + shared + CborWriter.headBytes(separators.size());
    for (Bytes value : separators.values()) {
      int suffix = value.size() - shared;
      bytes += CborWriter.headBytes(suffix) + suffix;
    }
    return bytes;
  }

  private static int sharedBytes(Separators separators) {
    if (separators.size() == 0) {
      return 0;
    }
    Bytes first = separators.values().getFirst();
    Bytes last = separators.values().getLast();
    int mismatch = Arrays.mismatch(first.unsafeArray(), last.unsafeArray());
    return mismatch < 0 ? first.size() : mismatch;
  }

  /// Hashes messages of these lengths, all beginnings of one buffer.
  static void hash(int[] lengths, MessageDigest sha, byte[] buffer) {
    for (int length : lengths) {
      sha.update(buffer, 0, length);
      Sha256.finish(sha, buffer, 0);
    }
  }
}
