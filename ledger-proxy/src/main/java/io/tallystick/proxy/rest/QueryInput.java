package io.tallystick.proxy.rest;

import io.tallystick.journal.ClueRules;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.JournalFilter;
import io.tallystick.journal.Kind;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LineageQuery;
import io.tallystick.proxy.read.LineageRequest;
import io.tallystick.proxy.read.PageLimit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The parameters of a query in which some exclude each other. One given twice is refused: it would
/// be anybody's guess which counts.
record QueryInput(Map<String, List<String>> parameters) {
  boolean has(String name) {
    return parameters.containsKey(name);
  }

  @Nullable String text(String name) throws RequestRejectedException {
    List<String> values = parameters.getOrDefault(name, List.of());
    if (values.size() > 1) {
      throw malformed(name + " is there " + values.size() + " times");
    }
    return values.isEmpty() ? null : values.getFirst();
  }

  long number(String name, long absent) throws RequestRejectedException {
    return Paths.number(name, text(name), absent);
  }

  /// One of two words.
  boolean choice(String name, String yes, String no, boolean absent)
      throws RequestRejectedException {
    String word = text(name);
    if (word == null) {
      return absent;
    }
    if (!word.equals(yes) && !word.equals(no)) {
      throw malformed(name + " is neither " + yes + " nor " + no);
    }
    return word.equals(yes);
  }

  /// Refuses more than one of `names`.
  void exclude(String... names) throws RequestRejectedException {
    List<String> found = Arrays.stream(names).filter(this::has).toList();
    if (found.size() > 1) {
      throw malformed(String.join(" and ", found) + " exclude each other");
    }
  }

  /// The clue that the query is about, by its text or by its id.
  Digest clueId(LedgerId ledger) throws RequestRejectedException {
    exclude("clue", "clueId");
    String clue = text("clue");
    if (clue != null) {
      ClueRules.check(List.of(clue));
      return Commitments.clueId(ledger, clue);
    }
    String id = text("clueId");
    if (id == null) {
      throw malformed("clue and clueId are missing; want one of them");
    }
    return JsonInput.digest("clueId", id);
  }

  /// Which journals a scan looks for; all if the query has no condition.
  JournalFilter filter() throws RequestRejectedException {
    JournalFilter filter = JournalFilter.ALL;
    String signer = text("signer");
    if (signer != null) {
      filter = filter.signedBy(JsonInput.digest("signer", signer));
    }
    String kind = text("kind");
    if (kind != null) {
      filter = filter.ofKind(Kind.ofWord(kind).orElseThrow(() -> malformed(noKind())));
    }
    try {
      if (has("fromTime")) {
        filter = filter.fromTime(number("fromTime", 0));
      }
      return has("toTime") ? filter.toTime(number("toTime", 0)) : filter;
    } catch (IllegalArgumentException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, String.valueOf(e.getMessage()), e);
    }
  }

  private static String noKind() {
    return "kind is none of "
        + Arrays.stream(Kind.values()).map(Kind::word).collect(Collectors.joining(", "));
  }

  /// Which page of a lineage the query asks for. A cursor says it all but the limit.
  LineageRequest lineage(LedgerId ledger) throws RequestRejectedException {
    Digest clueId = clueId(ledger);
    int limit = PageLimit.of(number("limit", 0));
    exclude("from", "fromJsn");
    exclude("asOfSize", "asOfBlock");
    String cursor = text("cursor");
    if (cursor != null) {
      for (String first : List.of("from", "fromJsn", "order", "asOfSize", "asOfBlock")) {
        exclude("cursor", first);
      }
      return new LineageRequest(CursorText.lineage(clueId, cursor).query(clueId, limit));
    }
    LineageQuery query =
        new LineageQuery(
            clueId,
            number(has("fromJsn") ? "fromJsn" : "from", LineageQuery.FROM_END),
            has("fromJsn"),
            choice("order", "desc", "asc", false),
            limit,
            number("asOfSize", 0),
            0);
    return has("asOfBlock")
        ? new LineageRequest(query, OptionalLong.of(number("asOfBlock", 0)))
        : new LineageRequest(query);
  }

  private static RequestRejectedException malformed(String detail) {
    return new RequestRejectedException(RejectionCode.MALFORMED, detail);
  }
}
