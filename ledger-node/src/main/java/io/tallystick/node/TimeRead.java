package io.tallystick.node;

import io.tallystick.model.StrandId;
import java.util.List;
import java.util.Optional;

/// The questions of {@link TimeJournals}, where each is described.
public sealed interface TimeRead<R> extends NodeRead<R> {
  /// {@link TimeJournals#unanchored}.
  ///
  /// @param after empty: from the first
  record Unanchored(Optional<StrandId> after, int limit)
      implements TimeRead<List<UnanchoredHead>> {}

  /// {@link TimeJournals#newest}.
  record Newest(StrandId strand) implements TimeRead<NewestHead> {}

  /// {@link TimeJournals#stamped}.
  record Stamped(StrandId strand, long size) implements TimeRead<Optional<StampedHead>> {}

  /// {@link TimeJournals#lastAt}.
  record LastAt(StrandId strand, long timeMs) implements TimeRead<Optional<ProvenTime>> {}
}
