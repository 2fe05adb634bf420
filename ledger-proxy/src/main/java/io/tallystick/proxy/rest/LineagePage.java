package io.tallystick.proxy.rest;

import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LineageQuery;
import io.tallystick.node.ProvenLineage;
import io.tallystick.proxy.read.LogPage;
import java.util.ArrayList;
import java.util.List;

/// A page of a lineage with the journals themselves, cut where these pass what a page of journals
/// may have; one has at least one.
record LineagePage(ProvenLineage lineage, List<Json.Journal> journals) {
  static LineagePage read(LedgerNode node, StrandId strand, LineageQuery query)
      throws RequestRejectedException {
    ProvenLineage lineage = node.lineage(strand, query);
    List<Json.Journal> journals = journals(node, strand, lineage.jsns());
    if (journals.size() == lineage.jsns().size()) {
      return new LineagePage(lineage, journals);
    }
    long start = lineage.first() + (query.descending() ? lineage.jsns().size() - 1 : 0);
    // A page that others follow left its head behind for them.
    boolean kept = lineage.next().isPresent();
    LineageQuery shorter =
        new LineageQuery(
            query.clueId(),
            start,
            false,
            query.descending(),
            journals.size(),
            query.asOfSize(),
            kept ? lineage.clue().head().size() : query.headSize());
    return new LineagePage(node.lineage(strand, shorter), journals);
  }

  private static List<Json.Journal> journals(LedgerNode node, StrandId strand, List<Long> jsns)
      throws RequestRejectedException {
    List<Json.Journal> journals = new ArrayList<>();
    long bytes = 0;
    for (long jsn : jsns) {
      LogPage.Item item = LogPage.read(node, strand, jsn, jsn + 1, true, 1).getFirst();
      bytes += item.sizeBytes();
      if (bytes > LogPage.BYTES_WANTED && !journals.isEmpty()) {
        break;
      }
      journals.add(journal(item));
    }
    return journals;
  }

  private static Json.Journal journal(LogPage.Item item) {
    try {
      return Json.Journal.of(
          item.jsn(),
          item.leaf(),
          item.bodyState(),
          item.attestation(),
          item.salt(),
          item.body(),
          null);
    } catch (MalformedException e) {
      throw new AssertionError("journal " + item.jsn() + " was committed malformed", e);
    }
  }
}
