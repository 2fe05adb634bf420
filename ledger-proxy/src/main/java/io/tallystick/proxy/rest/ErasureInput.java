package io.tallystick.proxy.rest;

import io.tallystick.journal.Commitments;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalRef;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/// Reads what is to be removed. Journals one by one are named with their leaf hashes: who asks must
/// have seen them, and the service is not to choose what is signed.
final class ErasureInput {
  private ErasureInput() {}

  /// Reads an occult: `basis`, and either `journals`, or a clue with `firstJsn` and `lastJsn`.
  ///
  /// @throws RequestRejectedException `MALFORMED`, `TOO_LARGE`, `CLUE_INVALID`
  static Extension occult(LedgerId ledger, JsonInput in) throws RequestRejectedException {
    String basis = in.optionalText("basis").orElse("");
    boolean clue = in.has("clue") || in.has("clueId");
    if (in.has("journals") == clue) {
      throw in.refused("journals", "or a clue must be named, and not both");
    }
    try {
      return new Extension.Occult(clue ? ofClue(ledger, in) : journals(in), basis);
    } catch (IllegalArgumentException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, String.valueOf(e.getMessage()), e);
    }
  }

  /// Reads a purge of a snapshot that was prepared: `firstKept`, `height`, `digest`, and how long
  /// it can be recalled, `recallMs`, 0 if it is not there.
  ///
  /// @throws RequestRejectedException `MALFORMED`
  static Extension purge(JsonInput in) throws RequestRejectedException {
    Jsn firstKept = jsn(in, "firstKept");
    long height = in.optionalNumber("height").orElseThrow(() -> in.refused("height", "is missing"));
    Digest digest = in.digest("digest");
    long recallMs = in.optionalNumber("recallMs").orElse(0);
    try {
      return new Extension.Purge(firstKept, height, digest, recallMs);
    } catch (IllegalArgumentException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, String.valueOf(e.getMessage()), e);
    }
  }

  /// Reads a recall: the `purge`.
  static Extension recall(JsonInput in) throws RequestRejectedException {
    return new Extension.Recall(jsn(in, "purge"));
  }

  private static ErasureTarget journals(JsonInput in) throws RequestRejectedException {
    List<JournalRef> named = new ArrayList<>();
    for (JsonInput each : in.objects("journals", ErasureTarget.JOURNALS_MAX)) {
      named.add(new JournalRef(jsn(each, "jsn"), each.digest("leafHash")));
      each.end();
    }
    return new ErasureTarget.Journals(named);
  }

  private static ErasureTarget ofClue(LedgerId ledger, JsonInput in)
      throws RequestRejectedException {
    if (in.has("clue") && in.has("clueId")) {
      throw in.refused("clue", "and clueId exclude each other");
    }
    Digest clueId =
        in.has("clue")
            ? Commitments.clueId(ledger, in.clue("clue").getFirst())
            : in.digest("clueId");
    return new ErasureTarget.OfClue(clueId, jsn(in, "firstJsn"), jsn(in, "lastJsn"));
  }

  private static Jsn jsn(JsonInput in, String name) throws RequestRejectedException {
    OptionalLong jsn = in.optionalNumber(name);
    if (jsn.isEmpty()) {
      throw in.refused(name, "is missing");
    }
    return new Jsn(jsn.getAsLong());
  }
}
