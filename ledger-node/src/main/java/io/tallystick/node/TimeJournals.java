package io.tallystick.node;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The calls that anchoring ledgers in time makes to a node: which heads wait for an outsider's
/// word, and where that word is journalled. Thread-safe; every method may block on a disk, and none
/// holds up appends.
public interface TimeJournals {
  /// Heads that wait, strand by strand, ascending by ledger and strand. A strand is listed if it
  /// has a journal that no time journal of it covers, and the head to be stamped holds the newest
  /// time journal of the strand. Seals and time journals count for nothing here, so a strand in
  /// which nothing else happens is not listed.
  ///
  /// @param after lists what follows this strand; null: from the first
  List<UnanchoredHead> unanchored(@Nullable StrandId after, int limit)
      throws RequestRejectedException;

  /// The newest sealed head, and the time journal that covers all there is, if one does.
  NewestHead newest(StrandId strand) throws RequestRejectedException;

  /// The newest sealed time journal, whatever has come after it.
  ///
  /// @param size leaves that the head it is about has at least
  /// @return empty if there is none, or if it is about a smaller head
  Optional<StampedHead> stamped(StrandId strand, long size) throws RequestRejectedException;

  /// Journals a token as kind 20, signed by the service, and returns when that is durable. The node
  /// names the newest time journal before it as `previous`.
  ///
  /// @throws RequestRejectedException `OUT_OF_RANGE` unless the size is that of a sealed head of an
  ///   earlier block and above the jsn of the newest time journal; `PRECONDITION_FAILED` if the
  ///   head of that size has another root; `EXPIRED` or `TOO_EARLY` if the journal's time would be
  ///   more than 10 s from the token's; and what any append may be refused with
  AnchoredAt append(TimeAnchor anchor) throws RequestRejectedException;

  /// The sealed time journal with the latest proven time that is not after `timeMs`; of several the
  /// newest. The first call behind new time journals reads those, every other one reads an index.
  /// Source: LedgerDB Table 2, GetLastGrantTime.
  ///
  /// @return empty if none is so old
  Optional<ProvenTime> lastAt(StrandId strand, long timeMs) throws RequestRejectedException;
}
