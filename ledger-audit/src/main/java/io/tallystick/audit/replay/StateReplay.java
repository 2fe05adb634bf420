package io.tallystick.audit.replay;

import io.tallystick.journal.StateParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/// Recomputes the state of a strand from the operations of its journals, block by block: judges
/// each operation's precondition and builds the forest that the seals' state roots stand for. The
/// open partition is in memory, closed ones are sorted files. Not thread-safe. Source:
/// `docs/formats/forest.md`.
public final class StateReplay implements AutoCloseable {
  /// The memory, in bytes, of an entry that waits for its block's end, besides its own bytes.
  private static final long PENDING_BYTES = 128;

  private final ForestReplay forest;
  private final StateEntryView view = new StateEntryView();

  /// The newest entries of the block that is open.
  private final TreeMap<Bytes, byte[]> pending = new TreeMap<>();

  private long pendingBytes;

  public StateReplay(StateParams params, ReplayMemory memory) {
    this.forest = new ForestReplay(params, memory);
  }

  /// The next operation of the block that is open. It counts whether its precondition holds or not:
  /// the log has it.
  ///
  /// @return what its precondition wants and what is there instead; empty if it holds
  /// @throws IOException if what was put into a file cannot be read
  public Optional<String> add(long jsn, StateOp op) throws IOException {
    Optional<String> failed = judge(op);
    byte[] entry = StateEntryView.encode(op.key(), op.valueCommit(), op.valueSizeBytes(), jsn);
    byte[] before = pending.put(op.key(), entry);
    pendingBytes +=
        before == null
            ? PENDING_BYTES + op.key().size() + entry.length
            : entry.length - before.length;
    return failed;
  }

  /// Without adding it.
  Optional<String> judge(StateOp op) throws IOException {
    if (op.condition() instanceof StateOp.Condition.Always) {
      return Optional.empty();
    }
    boolean found = find(op.key());
    Optional<String> wanted =
        switch (op.condition()) {
          case StateOp.Condition.Always() -> Optional.empty();
          case StateOp.Condition.Absent() ->
              found && view.present() ? Optional.of("wants no value") : Optional.empty();
          case StateOp.Condition.Version(long jsn) ->
              found && view.present() && view.jsn() == jsn
                  ? Optional.empty()
                  : Optional.of("wants the value of journal " + jsn);
          case StateOp.Condition.Commit(Digest commit) ->
              found && Objects.equals(commit, view.valueCommit())
                  ? Optional.empty()
                  : Optional.of("wants value " + commit);
        };
    return wanted.map(words -> words + ", " + (found ? there() : "there is no entry"));
  }

  private String there() {
    Digest commit = view.valueCommit();
    return commit == null
        ? "journal " + view.jsn() + " deleted it"
        : "journal " + view.jsn() + " put value " + commit;
  }

  /// Sets the view to the newest entry of a key.
  private boolean find(Bytes key) throws IOException {
    byte[] waiting = pending.get(key);
    if (waiting != null) {
      view.set(waiting, 0);
      return true;
    }
    return forest.find(key.unsafeArray(), view);
  }

  /// Ends the block that is open: its operations go into the forest.
  ///
  /// @return the state root as of this block
  public Digest endBlock(long height) throws IOException {
    if (!pending.isEmpty()) {
      forest.apply(height, pending);
      pending.clear();
      pendingBytes = 0;
    }
    return forest.root();
  }

  /// Roughly what it takes in memory.
  public long bytes() {
    return pendingBytes + forest.bytes();
  }

  /// How long the file is that holds the closed partitions; 0 if there are none.
  public long spilledBytes() {
    return forest.spilledBytes();
  }

  /// Whether no operation was ever put into the forest.
  public boolean isEmpty() {
    return forest.isEmpty();
  }

  /// Writes all of the forest, for {@link #readFrom}; behind a seal only.
  public void writeTo(OutputStream out) throws IOException {
    if (!pending.isEmpty()) {
      throw new IllegalStateException("a block is open");
    }
    ForestRecords.write(forest, out);
  }

  /// Reads a forest, before any operation was added. The root alone does not say that the closed
  /// partitions' entries are right: the caller knows the hash of what it reads.
  ///
  /// @return the state root
  /// @throws MalformedException if it cannot have been written so
  public Digest readFrom(InputStream in) throws IOException, MalformedException {
    if (!pending.isEmpty() || !forest.isEmpty()) {
      throw new IllegalStateException("there are entries already");
    }
    ForestRecords.read(in, forest);
    return forest.root();
  }

  /// Reads the forest as of a purge, before any operation was added. Nothing of it is believed but
  /// what the root shows.
  ///
  /// @param root of the seal that the log begins behind
  /// @throws MalformedException if it cannot be the forest of that root
  public void readImage(InputStream in, Digest root) throws IOException, MalformedException {
    if (!pending.isEmpty() || !forest.isEmpty()) {
      throw new IllegalStateException("there are entries already");
    }
    new ForestImageReader(in, forest).read(root);
  }

  @Override
  public void close() throws IOException {
    forest.close();
  }
}
