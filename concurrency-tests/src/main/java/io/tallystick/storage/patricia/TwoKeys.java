package io.tallystick.storage.patricia;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An edit that sets two keys, each by a worker of its own, in a trie where their ways meet.
class TwoKeys {
  private static final Workers CALLER = new Workers(1, "caller");

  /// What is in the trie before, and the two keys. Keys are given by their first nibbles.
  enum Shape {
    /// Both become the child of the anchor: one leaf is split by the other key.
    EMPTY(List.of(), "1", "2"),
    /// Both split the leaf of before, at different depths.
    LEAF(List.of("111"), "112", "12"),
    /// Both split the extension of before, at different nibbles.
    EXTENSION(List.of("111111", "111112"), "1112", "12"),
    /// Both copy the branch of before; one sets a free child, the other splits a leaf below it.
    BRANCH(List.of("1", "2"), "3", "11");

    private final List<String> before;
    private final String first;
    private final String second;
    private final @Nullable Node root;
    private final Digest want;

    Shape(List<String> before, String first, String second) {
      this.before = before;
      this.first = first;
      this.second = second;
      this.root = before.isEmpty() ? null : sequential(1, null, before);
      this.want = sequential(2, root, List.of(first, second)).digest();
    }

    private static Node sequential(long epoch, @Nullable Node root, List<String> keys) {
      try {
        Edit edit = edit(epoch, root, keys);
        new LockUpdate().update(edit, CALLER);
        return hashed(edit);
      } catch (IOException | CorruptStreamException e) {
        throw new AssertionError(e);
      }
    }
  }

  final Edit edit;
  private final Shape shape;

  TwoKeys(Shape shape) {
    this.shape = shape;
    this.edit = edit(2, shape.root, List.of(shape.first, shape.second));
  }

  private static Edit edit(long epoch, @Nullable Node root, List<String> keys) {
    TrieBatch batch = new TrieBatch(keys.size());
    for (String key : keys) {
      byte[] bytes =
          Bytes.fromHex(key + "0".repeat(2 * Nibbles.KEY_BYTES - key.length())).toArray();
      batch.put(bytes, 0, bytes);
    }
    batch.arrange();
    Trace[] traces = {new Trace(BatchHasher.cpu()), new Trace(BatchHasher.cpu())};
    return new Edit(
        epoch,
        root,
        batch,
        traces,
        (_, _) -> {
          throw new AssertionError("no node is on disk");
        });
  }

  private static Node hashed(Edit edit) throws IOException, CorruptStreamException {
    PhaseHash.hash(edit, CALLER);
    Node root = edit.anchor.root();
    if (root == null) {
      throw new AssertionError("the trie is empty");
    }
    return root;
  }

  /// Work on a trie that is all in memory, so that no input or output can fail.
  interface InMemory {
    void run() throws IOException, CorruptStreamException;
  }

  static void inMemory(InMemory work) {
    try {
      work.run();
    } catch (IOException | CorruptStreamException e) {
      throw new AssertionError(e);
    }
  }

  /// Whether the trie is the one that one worker makes, and both keys count as added.
  final boolean isRight() throws IOException, CorruptStreamException {
    int added = edit.traces[0].added + edit.traces[1].added;
    return hashed(edit).digest().equals(shape.want) && added == 2;
  }
}
