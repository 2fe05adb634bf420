package io.tallystick.server.sim;

import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.server.shard.Shard;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Compares every answer with what the model says it must be.
final class Judge {
  private final Machine machine;
  private final Inspector inspector;
  private final Model model;
  private final RunStatistics statistics;
  private final NoteCheck notes;

  Judge(Machine machine, Inspector inspector, Model model, RunStatistics statistics) {
    this.notes = new NoteCheck(machine, model.notes);
    this.machine = machine;
    this.inspector = inspector;
    this.model = model;
    this.statistics = statistics;
  }

  /// What the shard did with an input at once: queued it, or refused it because too much waits, or
  /// because it takes no more.
  ///
  /// @param before bytes that were admitted before it came
  void admitted(Arrival arrival, Shard up, long before) {
    long after = up.admittedBytes();
    arrival.opening = model.openings;
    if (isRefusedAsRead(arrival)) {
      Violation.unless(
          before == after, "refused, with %s bytes before and %s after", before, after);
      return;
    }
    if (arrival.failure == null) {
      boolean fits = before == 0 || after <= machine.admittedBytesMax();
      Violation.unless(
          before < after && fits && up.phase() != Shard.Phase.READ_ONLY,
          "let in, with %s bytes before and %s after, %s",
          before,
          after,
          up.phase());
      return;
    }
    boolean readOnly = up.phase() == Shard.Phase.READ_ONLY;
    boolean limited =
        arrival.failure instanceof RequestRejectedException refusal
            && refusal.code() == RejectionCode.RATE_LIMITED;
    boolean unread = arrival.failure.getCause() instanceof IOException && machine.troubled();
    Violation.unless(
        before == after && (limited ? before > 0 : readOnly || unread),
        "refused at once with %s, with %s bytes before and %s after, %s",
        arrival.failure,
        before,
        after,
        up.phase());
    arrival.verdict =
        new Verdict.Refused(limited ? RejectionCode.RATE_LIMITED : RejectionCode.UNAVAILABLE);
  }

  /// Whether what a removal names was read and refused, which it must be if the rules say so.
  private boolean isRefusedAsRead(Arrival arrival) {
    RejectionCode is =
        arrival.failure instanceof RequestRejectedException refusal ? refusal.code() : null;
    boolean unread = arrival.failure != null && is == null;
    if (arrival.sent == null || arrival.readSize < 0 || unread || isPassing(is)) {
      return false;
    }
    Extension extension = arrival.sent.verified.headers().getFirst().extension();
    Optional<RejectionCode> want =
        RemovalRules.ofReading(
            arrival.sent.ledger, extension, arrival.readSize, model.notes.newest());
    Violation.unless(
        want.equals(Optional.ofNullable(is)),
        "%s was refused with %s when it was read, want %s",
        extension,
        is,
        want);
    if (is != null) {
      arrival.verdict = new Verdict.Refused(is);
    }
    return is != null;
  }

  /// Another time the same may be taken.
  private static boolean isPassing(@Nullable RejectionCode code) {
    return code == RejectionCode.RATE_LIMITED || code == RejectionCode.UNAVAILABLE;
  }

  /// A turn's frame is durable, or there was nothing to write, or no room for it.
  ///
  /// @param draft of what it took
  void turned(Shard up, List<Arrival> taken, Model.Draft draft) {
    if (undone(taken)) {
      statistics.undone++;
      for (Arrival arrival : taken) {
        if (!(arrival.verdict instanceof Verdict.Refused)) {
          arrival.verdict = new Verdict.Undone();
        }
      }
      frames(up, 0, 0);
      noted(up, taken);
      return;
    }
    for (Arrival arrival : taken) {
      Violation.unless(
          !arrival.isRefusedForSpace() || machine.shortage(), "refused for space, and there is");
      if (arrival.verdict instanceof Verdict.Accepted accepted) {
        committed(arrival, accepted);
      } else {
        Violation.unless(
            arrival.committed == null, "committed, want %s: %s", arrival.verdict, arrival.sent);
      }
    }
    if (draft.isEmpty()) {
      frames(up, 0, 1); // perhaps a closing frame
      model.frames = up.durableEnd().number();
    } else {
      frames(up, 1, 1);
      if (taken.stream().anyMatch(each -> !each.makesRoom() && !each.isRefusedForSpace())) {
        machine.tookAppends();
      }
      model.keep(draft);
    }
    statistics.frames = model.frames;
    if (draft.notes != null) {
      statistics.noteFrames++;
      statistics.gaveWay += draft.gaveWay;
      boolean full = taken.stream().anyMatch(Arrival::isRefusedForSpace);
      statistics.deletedWhenFull += full ? 1 : 0;
      statistics.noteFramesAlone += draft.hasBlocks() ? 0 : 1;
    }
    noted(up, taken);
  }

  /// Notes are answered as soon as they are durable, and seen from then on.
  private void noted(Shard up, List<Arrival> taken) {
    boolean any = false;
    for (Arrival arrival : taken) {
      any |= arrival.note != null;
      Violation.unless(
          arrival.note == null || arrival.answered, "a turn took %s and is silent", arrival.note);
    }
    try {
      if (any) {
        notes.visible(up);
      }
    } catch (IOException e) {
      throw new Violation("noted rows cannot be read", e);
    }
  }

  /// Whether nothing of a turn was kept, because there was no room.
  static boolean undone(List<Arrival> taken) {
    return taken.stream().anyMatch(Arrival::isUndone);
  }

  /// Durable frames now, beyond those known.
  void frames(Shard up, int least, int most) {
    long more = up.durableEnd().number() - model.frames;
    Violation.unless(
        least <= more && more <= most,
        "the stream ends with frame %s, %s frames are durable",
        up.durableEnd().number(),
        model.frames);
  }

  /// The shard's time after a turn: a reading of the clock leaves no trace unless a request agreed
  /// with it. One that was refused for want of room may have been asked before, or not.
  void time(Shard up, List<Arrival> taken, long beforeMs) {
    long timeMs = up.sequencer().timeMs();
    Violation.unless(
        timeMs == model.timeMs || (timeMs == beforeMs && undone(taken)),
        "the shard's time is %s, want %s",
        timeMs,
        model.timeMs);
    model.timeMs = timeMs;
  }

  /// No durable journal is dated later, and none that was ever asked for.
  void timeAfterStart(Shard up) {
    long timeMs = up.sequencer().timeMs();
    Violation.unless(
        model.durableTimeMs <= timeMs && timeMs <= model.timeMs,
        "time is %s after a start, was %s",
        timeMs,
        model.timeMs);
    model.timeMs = timeMs;
  }

  /// It is durable, and its client may be told at once where it stands.
  private void committed(Arrival arrival, Verdict.Accepted accepted) {
    Sent sent = Objects.requireNonNull(arrival.sent);
    Committed is = arrival.committed;
    Violation.unless(
        is != null && arrival.failure == null,
        "a submission that must be accepted at jsn %s was answered with %s",
        accepted.jsn(),
        arrival.failure);
    Committed want =
        new Committed(accepted.jsn(), sent.count(), accepted.timeMs(), accepted.delegated(), false);
    Violation.unless(want.equals(is), "committed as %s, want %s", is, want);
    statistics.journals += sent.count();
    statistics.turnedOn += sent.kind() == Kind.PARAMETERS ? 1 : 0;
    statistics.granted += sent.kind() == Kind.GRANT ? 1 : 0;
    statistics.closed += sent.kind() == Kind.CLOSE ? 1 : 0;
    statistics.anchored += sent.kind() == Kind.TIME ? 1 : 0;
    statistics.rotated += sent.kind() == Kind.KEY_ROTATION ? 1 : 0;
    statistics.occulted += sent.kind() == Kind.OCCULT ? 1 : 0;
    statistics.purged += sent.kind() == Kind.PURGE ? 1 : 0;
    statistics.recalled += sent.kind() == Kind.RECALL ? 1 : 0;
    statistics.delegated += accepted.delegated() ? 1 : 0;
    statistics.trace(accepted.jsn());
  }

  /// The last word on an input.
  void answered(Arrival arrival) {
    Throwable failure = arrival.failure;
    if (failure instanceof RequestRejectedException refusal) {
      statistics.refusals++;
      statistics.codes.merge(refusal.code(), 1L, Long::sum);
      boolean rotation = arrival.sent != null && arrival.sent.kind() == Kind.KEY_ROTATION;
      statistics.rotationsRefused += rotation ? 1 : 0;
      statistics.trace(refusal.code().wire().hashCode());
      Violation.unless(
          !arrival.isUnreadNote() || machine.troubled(), "no row could be read, without a reason");
      statistics.notesUndone +=
          arrival.verdict instanceof Verdict.Undone && isNote(arrival) ? 1 : 0;
      boolean full = arrival.isUndone() && machine.shortage();
      Violation.unless(
          full
              || (arrival.verdict instanceof Verdict.Refused refused
                  && refused.code() == refusal.code()),
          "refused with %s, want %s",
          refusal.code(),
          arrival.verdict);
    } else if (failure != null) {
      if (!machine.troubled()) {
        throw new Violation("the shard stopped without a reason", failure);
      }
    } else if (isNote(arrival)) {
      Object noted = Objects.requireNonNull(arrival.noted);
      boolean nothing = noted.equals(false) || noted.equals(0);
      Violation.unless(
          new Verdict.Noted(noted).equals(arrival.verdict),
          "%s was answered with %s, want %s",
          arrival.note,
          noted,
          arrival.verdict);
      statistics.noted += nothing ? 0 : 1;
      statistics.notedNothing += nothing ? 1 : 0;
      statistics.trace(noted.hashCode());
    } else if (arrival.sent != null) {
      judgeReceipt(arrival, arrival.sent);
    } else {
      boolean existed = Objects.requireNonNull(arrival.existed);
      Violation.unless(
          new Verdict.Founded(existed).equals(arrival.verdict),
          "founded with %s, want %s",
          existed,
          arrival.verdict);
    }
  }

  private static boolean isNote(Arrival arrival) {
    return arrival.note != null;
  }

  private void judgeReceipt(Arrival arrival, Sent sent) {
    var receipted = Objects.requireNonNull(arrival.receipted);
    Committed is = receipted.committed();
    Model.Placed placed = model.placed(sent);
    boolean right =
        switch (arrival.verdict) {
          case Verdict.Accepted(long jsn, long _, boolean _) ->
              is.firstJsn() == jsn && !is.repeated();
          case Verdict.Repeated(long jsn) -> is.firstJsn() == jsn && is.repeated();
          case null, default -> false;
        };
    Violation.unless(
        right && placed != null && placed.firstJsn() == is.firstJsn() && is.count() == sent.count(),
        "answered with %s, want %s",
        is,
        arrival.verdict);
    statistics.repeats += is.repeated() ? 1 : 0;
    statistics.trace(is.firstJsn());
    inspector.answer(sent, receipted, arrival.shared);
  }
}
