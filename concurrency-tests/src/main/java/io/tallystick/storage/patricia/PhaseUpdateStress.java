package io.tallystick.storage.patricia;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/// Two workers in one phase of PhaseNU, the other phases by one worker: the trie is the one that a
/// single worker makes in all phases.
public final class PhaseUpdateStress {
  private PhaseUpdateStress() {}

  /// Phase 1. Both keys split one leaf.
  @JCStressTest
  @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "the trie of both keys")
  @State
  public static class ExpandOneLeaf extends Phases {
    public ExpandOneLeaf() {
      super(Shape.LEAF);
    }

    @Actor
    public void first() {
      inMemory(() -> {
        expand.run(0, 0, 1);
      });
    }

    @Actor
    public void second() {
      inMemory(() -> {
        expand.run(1, 1, 2);
      });
    }

    @Arbiter
    public void trie(Z_Result result) {
      inMemory(() -> {
        insert.run(0, 0, 2);
        compressAll();
        result.r1 = isRight();
      });
    }
  }

  /// Phase 1. Both keys split one extension.
  @JCStressTest
  @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "the trie of both keys")
  @State
  public static class ExpandOneExtension extends Phases {
    public ExpandOneExtension() {
      super(Shape.EXTENSION);
    }

    @Actor
    public void first() {
      inMemory(() -> {
        expand.run(0, 0, 1);
      });
    }

    @Actor
    public void second() {
      inMemory(() -> {
        expand.run(1, 1, 2);
      });
    }

    @Arbiter
    public void trie(Z_Result result) {
      inMemory(() -> {
        insert.run(0, 0, 2);
        compressAll();
        result.r1 = isRight();
      });
    }
  }

  /// Phase 1. Both keys go through one branch of the version before.
  @JCStressTest
  @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "the trie of both keys")
  @State
  public static class ExpandOneBranch extends Phases {
    public ExpandOneBranch() {
      super(Shape.BRANCH);
    }

    @Actor
    public void first() {
      inMemory(() -> {
        expand.run(0, 0, 1);
      });
    }

    @Actor
    public void second() {
      inMemory(() -> {
        expand.run(1, 1, 2);
      });
    }

    @Arbiter
    public void trie(Z_Result result) {
      inMemory(() -> {
        insert.run(0, 0, 2);
        compressAll();
        result.r1 = isRight();
      });
    }
  }

  /// Phase 2. Both keys in an empty trie.
  @JCStressTest
  @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "the trie of both keys")
  @State
  public static class InsertEmptyTrie extends Phases {
    public InsertEmptyTrie() {
      super(Shape.EMPTY);
      expandAll();
    }

    @Actor
    public void first() {
      inMemory(() -> {
        insert.run(0, 0, 1);
      });
    }

    @Actor
    public void second() {
      inMemory(() -> {
        insert.run(1, 1, 2);
      });
    }

    @Arbiter
    public void trie(Z_Result result) {
      inMemory(() -> {
        compressAll();
        result.r1 = isRight();
      });
    }
  }

  /// Phase 2. Both keys split one leaf.
  @JCStressTest
  @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "the trie of both keys")
  @State
  public static class InsertOneLeaf extends Phases {
    public InsertOneLeaf() {
      super(Shape.LEAF);
      expandAll();
    }

    @Actor
    public void first() {
      inMemory(() -> {
        insert.run(0, 0, 1);
      });
    }

    @Actor
    public void second() {
      inMemory(() -> {
        insert.run(1, 1, 2);
      });
    }

    @Arbiter
    public void trie(Z_Result result) {
      inMemory(() -> {
        compressAll();
        result.r1 = isRight();
      });
    }
  }

  /// Phase 3. The chains of an extension that was expanded.
  @JCStressTest
  @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "the trie of both keys")
  @State
  public static class CompressOneExtension extends Phases {
    private final List<Trace.Expanded> branches;

    public CompressOneExtension() {
      super(Shape.EXTENSION);
      expandAll();
      insertAll();
      branches = PhaseUpdate.expanded(edit);
    }

    @Actor
    public void first() {
      inMemory(() -> {
        compress(0, 0, branches.size() / 2);
      });
    }

    @Actor
    public void second() {
      inMemory(() -> {
        compress(1, branches.size() / 2, branches.size());
      });
    }

    private void compress(int worker, int from, int to) throws IOException, CorruptStreamException {
      PhaseUpdate.compress(edit, branches).run(worker, from, to);
    }

    @Arbiter
    public void trie(Z_Result result) {
      inMemory(() -> {
        result.r1 = isRight();
      });
    }
  }

  /// The workers' part of each phase.
  static class Phases extends TwoKeys {
    private final Inner[] parents = new Inner[2];
    private final byte[] depths = new byte[2];
    final Workers.Part expand = PhaseUpdate.expand(edit, parents, depths);
    final Workers.Part insert = PhaseUpdate.insert(edit, parents, depths);

    Phases(Shape shape) {
      super(shape);
    }

    final void expandAll() {
      whole(expand, 2);
    }

    final void insertAll() {
      whole(insert, 2);
    }

    final void compressAll() {
      List<Trace.Expanded> branches = PhaseUpdate.expanded(edit);
      whole(PhaseUpdate.compress(edit, branches), branches.size());
    }

    private static void whole(Workers.Part part, int items) {
      try {
        part.run(0, 0, items);
      } catch (IOException | CorruptStreamException e) {
        throw new AssertionError(e);
      }
    }
  }
}
