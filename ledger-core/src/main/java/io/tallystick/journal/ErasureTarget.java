package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The journals whose bodies an occult erases. Source: `docs/formats/removal.md`.
public sealed interface ErasureTarget {
  int JOURNALS = 1;
  int CLUE = 2;

  int JOURNALS_MAX = 100;

  /// Journals one by one. The leaf hash says that the signers saw which journal it is.
  ///
  /// @param named 1 to 100, jsns ascending
  record Journals(List<JournalRef> named) implements ErasureTarget {
    public Journals {
      named = List.copyOf(named);
      if (named.isEmpty() || named.size() > JOURNALS_MAX) {
        throw new IllegalArgumentException(named.size() + " journals to erase, want 1 to 100");
      }
      for (int i = 1; i < named.size(); i++) {
        if (named.get(i).jsn().value() <= named.get(i - 1).jsn().value()) {
          throw new IllegalArgumentException(
              String.format(
                  Locale.ROOT,
                  "jsn %s after jsn %s in journals to erase",
                  named.get(i).jsn(),
                  named.get(i - 1).jsn()));
        }
      }
    }
  }

  /// All journals that name a clue, from `first` to `last`, both included.
  record OfClue(Digest clueId, Jsn first, Jsn last) implements ErasureTarget {
    public OfClue {
      if (first.value() > last.value()) {
        throw new IllegalArgumentException("journals of a clue from " + first + " to " + last);
      }
    }
  }

  default void encodeInto(CborWriter out) {
    switch (this) {
      case Journals(List<JournalRef> named) -> {
        out.array(2).uint(JOURNALS).array(named.size());
        named.forEach(each -> each.encodeInto(out));
      }
      case OfClue(Digest clueId, Jsn first, Jsn last) ->
          out.array(4).uint(CLUE).digest(clueId).uint(first.value()).uint(last.value());
    }
  }

  static ErasureTarget decode(CborReader in) throws MalformedException {
    int items = in.array();
    long form = items == 0 ? 0 : in.uint();
    if (form == JOURNALS && items == 2) {
      int count = in.arrayAtMost("journals to erase", JOURNALS_MAX);
      List<JournalRef> named = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        named.add(JournalRef.decode(in));
      }
      return Decoding.validated(() -> new Journals(named));
    }
    if (form == CLUE && items == 4) {
      Digest clueId = in.digest();
      Jsn first = new Jsn(in.uint());
      Jsn last = new Jsn(in.uint());
      return Decoding.validated(() -> new OfClue(clueId, first, last));
    }
    throw new MalformedException(
        String.format(Locale.ROOT, "target of form %d with %d items is not defined", form, items));
  }
}
