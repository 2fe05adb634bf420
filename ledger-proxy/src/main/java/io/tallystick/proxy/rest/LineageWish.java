package io.tallystick.proxy.rest;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LineageQuery;
import io.tallystick.proxy.read.PageLimit;

/// Which page of a clue's journals a query asks for.
///
/// @param asOfBlock height of the block whose head's journals alone are wanted; {@link #ALL} if no
///   block is named
/// @param journals whether they are shown, and not only numbered and proven
record LineageWish(LineageQuery query, long asOfBlock, boolean journals) {
  private static final long ALL = -1;

  static LineageWish of(LedgerId ledger, QueryInput in) throws RequestRejectedException {
    Digest clueId = in.clueId(ledger);
    int limit = PageLimit.of(in.number("limit", 0));
    boolean journals = in.choice("journals", "true", "false", true);
    in.exclude("from", "fromJsn");
    in.exclude("asOfSize", "asOfBlock");
    String cursor = in.text("cursor");
    if (cursor != null) {
      for (String first : new String[] {"from", "fromJsn", "order", "asOfSize", "asOfBlock"}) {
        in.exclude("cursor", first);
      }
      LineageCursor at = LineageCursor.decode(clueId, cursor);
      LineageQuery query =
          new LineageQuery(
              clueId, at.next(), false, at.descending(), limit, at.asOfSize(), at.headSize());
      return new LineageWish(query, ALL, journals);
    }
    LineageQuery query =
        new LineageQuery(
            clueId,
            in.number(in.has("fromJsn") ? "fromJsn" : "from", LineageQuery.FROM_END),
            in.has("fromJsn"),
            in.choice("order", "desc", "asc", false),
            limit,
            in.number("asOfSize", 0),
            0);
    return new LineageWish(query, in.number("asOfBlock", ALL), journals);
  }

  /// With the block's size in place of its height.
  LineageQuery resolved(LedgerNode node, StrandId strand) throws RequestRejectedException {
    return asOfBlock == ALL
        ? query
        : new LineageQuery(
            query.clueId(),
            query.from(),
            query.fromIsJsn(),
            query.descending(),
            query.limit(),
            node.blockAt(strand, asOfBlock).size(),
            query.headSize());
  }
}
