package io.tallystick.server.note;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Member;
import io.tallystick.server.world.Purge;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// Notes over a meta store, each decision a frame of its own, as a shard with one thread makes
/// them.
public final class TestNotes implements NoteWriter {
  /// The first frame that no savepoint holds.
  private static final Bytes SAVED = Bytes.utf8("s");

  private final MetaStore meta;
  private final LongSupplier clockMs;
  private final NavigableMap<Long, byte[]> frames;
  private final NoteRows rows;
  private long nextFrame;
  private final Function<Digest, Optional<Member>> members;

  private TestNotes(
      MetaStore meta,
      LongSupplier clockMs,
      Function<Digest, Optional<Member>> members,
      NavigableMap<Long, byte[]> frames,
      long nextFrame) {
    this.meta = meta;
    this.clockMs = clockMs;
    this.members = members;
    this.frames = frames;
    this.nextFrame = nextFrame;
    this.rows = new NoteRows(meta);
  }

  /// @param members of each ledger
  public static TestNotes over(
      MetaStore meta, LongSupplier clockMs, Function<Digest, Optional<Member>> members) {
    return new TestNotes(meta, clockMs, members, new TreeMap<>(), 0);
  }

  /// The same after a restart, its frames not replayed yet.
  ///
  /// @param reopened the same meta store
  public TestNotes reopened(MetaStore reopened) {
    return new TestNotes(reopened, clockMs, members, frames, nextFrame);
  }

  /// Replays the frames that no savepoint holds.
  public void replay() throws IOException, MalformedException {
    Bytes saved = meta.get(SAVED);
    long from = saved == null ? 0 : ByteBuffer.wrap(saved.toArray()).getLong();
    for (var each : frames.tailMap(from, true).entrySet()) {
      rows.replay(each.getKey(), NotesSection.read(ByteBuffer.wrap(each.getValue())));
    }
  }

  /// Takes a savepoint of the first `count` frames that none holds.
  public void savepoint(int count) throws IOException {
    for (int i = 0; i < count && !frames.isEmpty(); i++) {
      MetaBatch batch = new MetaBatch();
      long frame = frames.firstKey();
      rows.savepoint(batch, frame + 1);
      batch.put(SAVED, Bytes.wrap(ByteBuffer.allocate(Long.BYTES).putLong(0, frame + 1).array()));
      meta.write(batch);
      rows.saved();
      frames.remove(frame);
    }
  }

  public NoteRows rows() {
    return rows;
  }

  @Override
  public <R> CompletableFuture<R> writeLater(
      long valueBytes, boolean makesRoom, NoteDecision<R> decision) {
    NoteDraft draft = new NoteDraft(rows);
    R answer;
    try {
      answer = decision.decide(draft, new Now());
      draft.check(0);
    } catch (IOException | MalformedException | RequestRejectedException e) {
      return CompletableFuture.failedFuture(e);
    }
    if (!draft.isEmpty()) {
      List<Note> notes = draft.notes();
      FrameBuffer frame = new FrameBuffer();
      NotesSection.write(notes, frame.notes());
      long number = nextFrame++;
      frames.put(number, Arrays.copyOf(frame.notes().array(), frame.notes().length()));
      rows.committed(number, notes);
    }
    return CompletableFuture.completedFuture(answer);
  }

  private final class Now implements NoteDecision.Moment {
    @Override
    public long timeMs() {
      return clockMs.getAsLong();
    }

    @Override
    public Optional<Member> member(LedgerId ledger, Digest kid) {
      return members.apply(kid);
    }

    @Override
    public Optional<Purge> purge(LedgerId ledger, long jsn) {
      return Optional.empty();
    }
  }
}
