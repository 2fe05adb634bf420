package io.tallystick.proxy.read;

import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LineageQuery;
import io.tallystick.node.ProvenClue;
import io.tallystick.node.ProvenLineage;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.access.ReadAccess.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// One caller's reads of one log's clues. Every read checks the caller's access before it asks the
/// node.
public record ReadableClues(ReadAccess access, Bearer bearer, StrandId strand) {
  public ProvenClue clue(Digest clueId) throws RequestRejectedException {
    return node(Scope.EVIDENCE).clue(strand, clueId);
  }

  public ProvenLineage membership(Digest clueId, long jsn) throws RequestRejectedException {
    return node(Scope.EVIDENCE).membership(strand, clueId, jsn);
  }

  /// A page of a clue's journals: their jsns and the proof.
  public LineagePage page(LineageRequest request) throws RequestRejectedException {
    LedgerNode node = node(Scope.EVIDENCE);
    LineageQuery query = query(node, request);
    return page(query, node.lineage(strand, query), List.of());
  }

  /// The same with the journals themselves. The page ends early where they pass {@link
  /// LogPage#BYTES_WANTED}, but has at least one.
  public LineagePage pageWithJournals(LineageRequest request) throws RequestRejectedException {
    LedgerNode node = node(Scope.BODIES);
    LineageQuery query = query(node, request);
    ProvenLineage lineage = node.lineage(strand, query);
    List<LogPage.Item> journals = journals(node, lineage.jsns());
    return journals.size() == lineage.jsns().size()
        ? page(query, lineage, journals)
        : page(query, node.lineage(strand, shorter(query, lineage, journals.size())), journals);
  }

  private LineageQuery query(LedgerNode node, LineageRequest request)
      throws RequestRejectedException {
    OptionalLong block = request.asOfBlock();
    return block.isPresent()
        ? request.query().withAsOfSize(node.blockAt(strand, block.getAsLong()).size())
        : request.query();
  }

  private List<LogPage.Item> journals(LedgerNode node, List<Long> jsns)
      throws RequestRejectedException {
    List<LogPage.Item> journals = new ArrayList<>();
    long bytes = 0;
    for (long jsn : jsns) {
      LogPage.Item journal = LogPage.journals(node, strand, jsn, jsn + 1, 1).getFirst();
      bytes += journal.sizeBytes();
      if (bytes > LogPage.BYTES_WANTED && !journals.isEmpty()) {
        break;
      }
      journals.add(journal);
    }
    return journals;
  }

  /// For the first `count` journals of a page that was read.
  private static LineageQuery shorter(LineageQuery query, ProvenLineage lineage, int count) {
    long start = lineage.first() + (query.descending() ? lineage.jsns().size() - 1 : 0);
    // The node kept the head of a page that others follow.
    boolean kept = lineage.next().isPresent();
    return new LineageQuery(
        query.clueId(),
        start,
        false,
        query.descending(),
        count,
        query.asOfSize(),
        kept ? lineage.clue().head().size() : query.headSize());
  }

  private static LineagePage page(
      LineageQuery query, ProvenLineage lineage, List<LogPage.Item> journals) {
    OptionalLong next = lineage.next();
    return new LineagePage(
        lineage,
        journals,
        next.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new LineageCursor(
                    next.getAsLong(),
                    query.descending(),
                    lineage.clue().head().size(),
                    query.asOfSize())));
  }

  private LedgerNode node(Scope scope) throws RequestRejectedException {
    return access.node(strand.ledger(), bearer, scope);
  }
}
