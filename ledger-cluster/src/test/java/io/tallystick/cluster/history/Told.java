package io.tallystick.cluster.history;

import io.tallystick.model.Digest;
import java.util.List;

/// What a call of a client ended with.
sealed interface Told {
  Span span();

  /// When a call was made and answered, by one monotonic clock of all clients.
  record Span(long sentNanos, long answeredNanos) {
    /// Whether this was answered before the other was sent.
    boolean before(Span other) {
      return answeredNanos - other.sentNanos < 0;
    }
  }

  /// A journal at its place.
  ///
  /// @param text empty: of no request that a text names
  record Placed(String text, long jsn, Digest leafHash) {}

  /// A head that a service signed.
  record Stated(long size, Digest root) {}

  /// Receipts, verified.
  record Receipted(Span span, List<Placed> journals, Stated head) implements Told {
    public Receipted {
      journals = List.copyOf(journals);
    }
  }

  /// A promise: durable, not yet evidence.
  record Promised(Span span, List<String> texts, long first) implements Told {
    public Promised {
      texts = List.copyOf(texts);
    }
  }

  /// Refused for what it is, or never sent: it must stand nowhere.
  record Refused(Span span, List<String> texts, String code) implements Told {
    public Refused {
      texts = List.copyOf(texts);
    }
  }

  /// A typed answer that says that the outcome is unknown.
  record Unknown(Span span, List<String> texts) implements Told {
    public Unknown {
      texts = List.copyOf(texts);
    }
  }

  /// The newest head, asked for.
  record Newest(Span span, Stated head) implements Told {}

  /// A refusal that says that there are not so many leaves.
  record FutureSize(Span span, long size) implements Told {}

  /// A call that was not answered, by a typed failure that accuses nobody.
  record Unread(Span span) implements Told {}

  /// A verified proof that the log of one size begins that of another.
  record Joined(Span span) implements Told {}

  /// A proposal that is kept.
  record Proposed(Span span, Digest requestHash) implements Told {}

  /// An anchor that is shared.
  record Anchored(Span span, long size) implements Told {}

  /// An occult of one journal.
  record Erased(Span span, long jsn) implements Told {}

  /// An occult of one journal whose outcome is unknown.
  record MayBeErased(Span span, long jsn) implements Told {}

  /// A journal read, with or without its body.
  record Body(Span span, long jsn, boolean present) implements Told {}

  /// A revocation of a reader.
  record Revoked(Span span, Digest kid) implements Told {}

  /// A revocation whose outcome is unknown.
  record MayBeRevoked(Span span, Digest kid) implements Told {}

  /// A reader that was refused as no member.
  record TurnedAway(Span span, Digest kid) implements Told {}

  /// A private journal that was given to a reader.
  record ReadBy(Span span, Digest kid) implements Told {}

  /// What no call may end with: evidence against the service, or no typed answer.
  record Fault(Span span, String what) implements Told {}
}
