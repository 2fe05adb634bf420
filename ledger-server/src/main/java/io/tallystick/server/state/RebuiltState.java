package io.tallystick.server.state;

import io.tallystick.journal.BodyState;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStatePage;
import io.tallystick.node.ProvenStates;
import io.tallystick.node.ReadValue;
import io.tallystick.node.StateQuery;
import io.tallystick.state.StateValue;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.forest.ForestReader;
import io.tallystick.storage.forest.HeldEntry;
import io.tallystick.storage.forest.StateFiles;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The state of a strand as of one block, in a folder that {@link RebuiltStateMaker} made: it
/// answers as a service does, with the same proofs. Nothing is written. One thread's.
public final class RebuiltState implements AutoCloseable {
  static final String VALUES = "values";

  private final RebuiltHead head;
  private final BlockView view;
  private final Bytes statement;
  private final StateFiles files;
  private final CopiedValues values;

  private RebuiltState(
      RebuiltHead head, BlockView view, Bytes statement, StateFiles files, CopiedValues values) {
    this.head = head;
    this.view = view;
    this.statement = statement;
    this.files = files;
    this.values = values;
  }

  /// Whether a folder holds one that was finished.
  public static boolean isIn(Disk disk) throws IOException {
    return disk.exists(RebuiltHead.NAME);
  }

  /// @param disk closed by the caller, after this
  /// @throws CorruptStreamException if what it holds is damaged, or not the state that the block
  ///   sealed
  public static RebuiltState open(Disk disk) throws IOException, CorruptStreamException {
    RebuiltHead head = RebuiltHead.read(disk);
    BlockView view = head.view();
    Bytes statement = head.statement(view);
    StrandId strand = head.strand();
    StateFiles files = StateFiles.open(disk, strand, head.row());
    boolean done = false;
    try {
      StateRoot sealed = new StateRoot(head.block().stateRoot());
      if (!files.root().equals(sealed)) {
        throw new CorruptStreamException(
            RebuiltHead.NAME,
            0,
            String.format(
                Locale.ROOT,
                "root is %s, block %d sealed %s",
                files.root(),
                view.height(),
                sealed));
      }
      ValueCopies copies = ValueCopies.open(disk, VALUES, strand, view.height());
      done = true;
      return new RebuiltState(head, view, statement, files, new CopiedValues(copies));
    } finally {
      if (!done) {
        files.close();
      }
    }
  }

  public LedgerId ledger() {
    return head.strand().ledger();
  }

  /// The block of which it is the state, and its head.
  public BlockView block() {
    return view;
  }

  /// The head that the service signed, as {@link io.tallystick.evidence.HeadStatement} reads it.
  public Bytes headStatement() {
    return statement;
  }

  private StateAt at() {
    ForestReader reader = files.reader();
    return new StateAt(view, head.seal(), files.root(), reader, values, reader::close);
  }

  public ProvenState state(Bytes key)
      throws IOException, CorruptStreamException, RequestRejectedException {
    ProvenStateReader.checkKey(key);
    try (StateAt at = at()) {
      return StateKeys.look(key, at, true);
    }
  }

  /// See {@link io.tallystick.node.StateReads#states}.
  public ProvenStates states(List<Bytes> keys)
      throws IOException, CorruptStreamException, RequestRejectedException {
    List<Bytes> sorted = StateKeys.sorted(keys);
    try (StateAt at = at()) {
      return StateKeys.look(sorted, at, true);
    }
  }

  /// @param query the height in it is not looked at
  public ProvenStatePage page(StateQuery query)
      throws IOException, CorruptStreamException, RequestRejectedException {
    StatePages.check(query);
    try (StateAt at = at()) {
      return StatePages.page(query, at);
    }
  }

  @Override
  public void close() throws IOException {
    try (files) {
      values.copies.close();
    }
  }

  /// Values in a file of copies. One that is not there was erased; zeros stand for one whose body
  /// was damaged.
  private record CopiedValues(ValueCopies copies) implements Values {
    private static final long BYTES_WANTED = 768 << 10;

    @Override
    public int countOfPage(List<HeldEntry> entries) {
      long bytes = 0;
      for (int i = 0; i < entries.size(); i++) {
        bytes += entries.get(i).entry().valueSizeBytes();
        if (i > 0 && bytes > BYTES_WANTED) {
          return i;
        }
      }
      return entries.size();
    }

    @Override
    public List<ReadValue> read(List<HeldEntry> entries) throws IOException {
      List<ReadValue> read = new ArrayList<>(entries.size());
      for (HeldEntry held : entries) {
        read.add(read(held.entry()));
      }
      return read;
    }

    private ReadValue read(StateEntry entry) throws IOException {
      try {
        Optional<StateValue> found = copies.find(entry.key(), entry.jsn().value());
        return found.isEmpty()
            ? ReadValue.missing(BodyState.ERASED)
            : ValueReader.checked(found.get(), entry);
      } catch (CorruptStreamException _) {
        return ReadValue.missing(BodyState.DAMAGED);
      }
    }
  }
}
