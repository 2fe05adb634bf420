package io.tallystick.client.internal.read;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.testkit.fuzz.Edits;
import io.tallystick.testkit.fuzz.FuzzContract;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;

/// Goal: of all that {@link Edits} make of runs of leaves and their two proofs, the genuine alone
/// are accepted. Method: Jazzer; `docs/testing.md`.
class LeafRunFuzzTest extends FuzzContract {
  private static final int SIZE = 13;
  private static final ReferenceTree TREE = ReferenceTree.ofSize(SIZE);
  private static final JournalRoot ROOT = new JournalRoot(TREE.root(SIZE));
  private static final Edits RUNS = new Edits(runs());

  /// As bytes: both proofs, then the leaf hashes.
  private static List<List<Bytes>> runs() {
    List<List<Bytes>> all = new ArrayList<>();
    for (int first = 0; first < SIZE; first++) {
      for (int last = first; last < Math.min(SIZE, first + 6); last++) {
        List<Bytes> parts = new ArrayList<>();
        parts.add(proof(first));
        parts.add(proof(last));
        TREE.leafHashes(first, last + 1).forEach(leaf -> parts.add(leaf.toBytes()));
        all.add(parts);
      }
    }
    return all;
  }

  private static Bytes proof(int index) {
    return InclusionProofBytes.encode(
        new InclusionProof(index, SIZE, TREE.inclusionPath(index, SIZE)));
  }

  @FuzzTest
  void run(byte[] program) {
    attempt(
        () -> {
          List<Bytes> parts = RUNS.apply(program);
          List<Digest> leaves = new ArrayList<>();
          for (Bytes leaf : parts.subList(2, parts.size())) {
            if (leaf.size() != Digest.BYTES) {
              throw new MalformedException("hash of " + leaf.size() + " bytes");
            }
            leaves.add(Digest.of(leaf));
          }
          LeafRun.verify(
              InclusionProofBytes.decode(parts.get(0)),
              InclusionProofBytes.decode(parts.get(1)),
              leaves,
              ROOT);
          RUNS.requireGenuine(parts);
        },
        MalformedException.class,
        ProofRejectedException.class);
  }
}
