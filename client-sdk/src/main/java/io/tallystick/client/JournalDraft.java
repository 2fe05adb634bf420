package io.tallystick.client;

import io.tallystick.journal.Body;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Limits;
import io.tallystick.journal.OpRules;
import io.tallystick.model.Bytes;
import io.tallystick.model.Printable;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Utf8;
import java.util.List;
import java.util.Locale;

/// A journal that a client wants to append, before ledger, time and salt are added and it is
/// signed.
///
/// @param contentType of the payload, free text up to 255 bytes without control characters; may be
///   empty
/// @param clues the names this journal can be found by later. Their ids cannot be erased and anyone
///   can test a guess against them: a clue that names a person should be a pseudonym
/// @param ops on the ledger's state, at most 10,000 with distinct keys, carried out in this order
///   and all or none. Keys cannot be erased, values can
public record JournalDraft(
    Bytes payload, String contentType, List<String> clues, List<DraftOp> ops) {
  public JournalDraft {
    clues = List.copyOf(clues);
    ops = List.copyOf(ops);
    Utf8.check(contentType);
    clues.forEach(Utf8::check);
    int control = Body.controlAt(contentType);
    if (control >= 0) {
      throw new IllegalArgumentException("content type has a control character at " + control);
    }
    checkOps(payload, ops);
  }

  public JournalDraft(Bytes payload, String contentType, List<String> clues) {
    this(payload, contentType, clues, List.of());
  }

  private static void checkOps(Bytes payload, List<DraftOp> ops) {
    if (ops.isEmpty()) {
      return;
    }
    try {
      OpRules.check(ops);
    } catch (RequestRejectedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    long bytes = payload.size();
    for (DraftOp op : ops) {
      bytes += op.key().size() + (op instanceof DraftOp.Put put ? put.value().size() : 0);
    }
    if (bytes > Limits.REQUEST_BYTES_MAX) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "payload, keys and values of %d bytes, at most %d in one request",
              bytes,
              Limits.REQUEST_BYTES_MAX));
    }
  }

  public static JournalDraft of(Bytes payload, String contentType) {
    return new JournalDraft(payload, contentType, List.of());
  }

  public static JournalDraft text(String payload) {
    return of(Bytes.utf8(payload), "text/plain; charset=utf-8");
  }

  /// A journal without a payload, for its operations alone.
  public static JournalDraft ofOps(List<DraftOp> ops) {
    return new JournalDraft(Bytes.EMPTY, "", List.of(), ops);
  }

  public JournalDraft withClues(List<String> newClues) {
    return new JournalDraft(payload, contentType, newClues, ops);
  }

  public JournalDraft withOps(List<DraftOp> newOps) {
    return new JournalDraft(payload, contentType, clues, newOps);
  }

  /// For people: the payload as text where that is short.
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "JournalDraft[%s (%s) clues %s, %d operations]",
        Printable.brief(payload),
        contentType,
        Printable.of(clues.toString()),
        ops.size());
  }
}
