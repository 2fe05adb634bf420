package io.tallystick.server.sequencer;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockDraft;
import io.tallystick.server.note.NoteDraft;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The outcome of one step of the sequencer: the blocks of the next frame, and the answers that
/// wait for it to be durable, or for it to be certain that nobody else decides.
///
/// @param <A> the appends that it answers
public final class Step<A> {
  /// @param firstJsn of the submission's first journal
  /// @param delegated whether the key of a signer is, as its leaves say
  public record Accepted<A>(A input, StrandId strand, long firstJsn, boolean delegated) {}

  /// A repeat, answered with the original's place.
  public record Repeated<A>(A input, StrandId strand, long firstJsn) {}

  /// @param existed whether the ledger was there before this step
  public record Founded<A>(Input.Found<A> input, LedgerId ledger, boolean existed) {}

  /// An input that nothing comes of.
  public record Refused<A>(Input<A> input, RequestRejectedException refusal) {}

  private final long timeMs;
  private final Map<StrandId, BlockDraft> blocks = new LinkedHashMap<>();
  private final List<Accepted<A>> accepted = new ArrayList<>();
  private final List<Repeated<A>> repeated = new ArrayList<>();
  private final List<Founded<A>> founded = new ArrayList<>();
  private final List<Input.Noting<A>> noted = new ArrayList<>();
  private final NoteDraft notes;
  private final List<A> stale = new ArrayList<>();
  private final List<Refused<A>> refused = new ArrayList<>();
  private final Map<LedgerId, StrandHead> newHeads = new LinkedHashMap<>();
  private final List<Runnable> undo = new ArrayList<>();

  Step(long timeMs, NoteDraft notes) {
    this.timeMs = timeMs;
    this.notes = notes;
  }

  public long timeMs() {
    return timeMs;
  }

  public Collection<BlockDraft> blocks() {
    return blocks.values();
  }

  public List<Accepted<A>> accepted() {
    return accepted;
  }

  public List<Repeated<A>> repeated() {
    return repeated;
  }

  public List<Founded<A>> founded() {
    return founded;
  }

  /// Decisions of notes that were taken.
  public List<Input.Noting<A>> noted() {
    return noted;
  }

  /// The notes of the next frame.
  public NoteDraft notes() {
    return notes;
  }

  /// Appends that what was read for them cannot decide. Nothing of them happened; the caller reads
  /// again and puts them back.
  public List<A> stale() {
    return stale;
  }

  /// What was refused. Nothing of it happened.
  public List<Refused<A>> refused() {
    return refused;
  }

  /// Whether there is anything to write.
  public boolean writesFrame() {
    return !blocks.isEmpty() || !notes.isEmpty();
  }

  public boolean isEmpty() {
    return !writesFrame() && repeated.isEmpty() && founded.isEmpty() && noted.isEmpty();
  }

  Map<StrandId, BlockDraft> drafts() {
    return blocks;
  }

  Map<LedgerId, StrandHead> newHeads() {
    return newHeads;
  }

  void onUndo(Runnable action) {
    undo.add(action);
  }

  void undo() {
    for (int i = undo.size() - 1; i >= 0; i--) {
      undo.get(i).run();
    }
  }
}
