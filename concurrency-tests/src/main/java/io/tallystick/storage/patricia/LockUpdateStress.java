package io.tallystick.storage.patricia;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/// Two workers of LockNU, one key each: whatever they do to each other, the trie is the one that a
/// single worker makes.
public final class LockUpdateStress {
  private LockUpdateStress() {}

  /// Both keys in an empty trie.
  @JCStressTest
  @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "the trie of both keys")
  @State
  public static class EmptyTrie extends Locking {
    public EmptyTrie() {
      super(Shape.EMPTY);
    }

    @Actor
    public void first() {
      inMemory(() -> {
        part.run(0, 0, 1);
      });
    }

    @Actor
    public void second() {
      inMemory(() -> {
        part.run(1, 1, 2);
      });
    }

    @Arbiter
    public void trie(Z_Result result) {
      inMemory(() -> {
        result.r1 = isRight();
      });
    }
  }

  /// Both keys split one leaf.
  @JCStressTest
  @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "the trie of both keys")
  @State
  public static class OneLeaf extends Locking {
    public OneLeaf() {
      super(Shape.LEAF);
    }

    @Actor
    public void first() {
      inMemory(() -> {
        part.run(0, 0, 1);
      });
    }

    @Actor
    public void second() {
      inMemory(() -> {
        part.run(1, 1, 2);
      });
    }

    @Arbiter
    public void trie(Z_Result result) {
      inMemory(() -> {
        result.r1 = isRight();
      });
    }
  }

  /// Both keys split one extension.
  @JCStressTest
  @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "the trie of both keys")
  @State
  public static class OneExtension extends Locking {
    public OneExtension() {
      super(Shape.EXTENSION);
    }

    @Actor
    public void first() {
      inMemory(() -> {
        part.run(0, 0, 1);
      });
    }

    @Actor
    public void second() {
      inMemory(() -> {
        part.run(1, 1, 2);
      });
    }

    @Arbiter
    public void trie(Z_Result result) {
      inMemory(() -> {
        result.r1 = isRight();
      });
    }
  }

  /// Both keys go through one branch of the version before.
  @JCStressTest
  @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "the trie of both keys")
  @State
  public static class OneBranch extends Locking {
    public OneBranch() {
      super(Shape.BRANCH);
    }

    @Actor
    public void first() {
      inMemory(() -> {
        part.run(0, 0, 1);
      });
    }

    @Actor
    public void second() {
      inMemory(() -> {
        part.run(1, 1, 2);
      });
    }

    @Arbiter
    public void trie(Z_Result result) {
      inMemory(() -> {
        result.r1 = isRight();
      });
    }
  }

  /// The workers' part of an update.
  static class Locking extends TwoKeys {
    final Workers.Part part = new LockUpdate().part(edit);

    Locking(Shape shape) {
      super(shape);
    }
  }
}
