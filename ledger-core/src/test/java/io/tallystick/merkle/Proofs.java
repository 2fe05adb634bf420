package io.tallystick.merkle;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// What the proof tests share: rejection, and every way to spoil a list of hashes.
final class Proofs {
  private Proofs() {}

  static void assertRejected(String what, ThrowingCallable verification) {
    assertThatThrownBy(verification).as(what).isInstanceOf(ProofRejectedException.class);
  }

  /// Each list differs from `hashes`: one bit of each hash, each hash dropped, doubled, swapped
  /// with its neighbour, and one too many at either end.
  static List<List<Digest>> mutations(List<Digest> hashes, SplittableRandom random) {
    List<List<Digest>> mutations = new ArrayList<>();
    for (int i = 0; i < hashes.size(); i++) {
      mutations.add(with(hashes, i, flipBit(hashes.get(i), random.nextInt(256))));
      List<Digest> dropped = new ArrayList<>(hashes);
      dropped.remove(i);
      mutations.add(dropped);
      List<Digest> doubled = new ArrayList<>(hashes);
      doubled.add(i, hashes.get(i));
      mutations.add(doubled);
      if (i > 0 && !hashes.get(i).equals(hashes.get(i - 1))) {
        mutations.add(with(with(hashes, i, hashes.get(i - 1)), i - 1, hashes.get(i)));
      }
    }
    List<Digest> longer = new ArrayList<>(hashes);
    longer.add(Digest.ZERO);
    mutations.add(longer);
    List<Digest> begun = new ArrayList<>(hashes);
    begun.addFirst(Digest.ZERO);
    mutations.add(begun);
    return mutations;
  }

  static Digest flipBit(Digest digest, int bit) {
    byte[] bytes = digest.toArray();
    bytes[bit / 8] ^= (byte) (1 << (bit % 8));
    return Digest.of(bytes);
  }

  private static List<Digest> with(List<Digest> hashes, int index, Digest value) {
    List<Digest> copy = new ArrayList<>(hashes);
    copy.set(index, value);
    return copy;
  }
}
