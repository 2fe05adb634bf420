package io.tallystick.client;

import io.tallystick.journal.Body;
import io.tallystick.model.Bytes;
import java.util.List;

/// What a client wants to append, before ledger, time and salt are added and it is signed.
///
/// @param contentType of the payload, free text up to 255 bytes without control characters; may be
///   empty
/// @param clues the names this journal can be found by later. Their ids cannot be erased and anyone
///   can test a guess against them: a clue that names a person should be a pseudonym
public record JournalDraft(Bytes payload, String contentType, List<String> clues) {
  public JournalDraft {
    clues = List.copyOf(clues);
    int control = Body.controlAt(contentType);
    if (control >= 0) {
      throw new IllegalArgumentException("content type has a control character at " + control);
    }
  }

  public static JournalDraft of(Bytes payload, String contentType) {
    return new JournalDraft(payload, contentType, List.of());
  }

  public static JournalDraft text(String payload) {
    return of(Bytes.utf8(payload), "text/plain; charset=utf-8");
  }

  public JournalDraft withClues(List<String> newClues) {
    return new JournalDraft(payload, contentType, newClues);
  }
}
