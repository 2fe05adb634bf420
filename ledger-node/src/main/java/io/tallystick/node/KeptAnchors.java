package io.tallystick.node;

import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import java.util.Optional;
import java.util.Set;

/// The trusted anchors that members share through a node, strand by strand, also over a restart. It
/// stores and bounds them; whether one is right, the caller decides. Thread-safe; every method may
/// block on a disk. Source: LedgerDB section 5.3.
///
/// Refusals are {@link RequestRejectedException}: `UNAVAILABLE`, `STORAGE_FULL` and `DAMAGED` when
/// the store fails.
public interface KeptAnchors {
  /// Anchors kept of one member; for a further one its smallest gives way.
  int PER_MEMBER_MAX = 16;

  /// Anchors kept of one strand; for a further one the smallest gives way.
  int PER_STRAND_MAX = 1_024;

  /// Keeps an anchor, durably. One of the same member and size is replaced.
  void keep(KeptAnchor anchor) throws RequestRejectedException;

  /// The largest anchor of at most `size` by one of some signers.
  ///
  /// @param signers kids of those whose anchors count
  Optional<KeptAnchor> nearest(StrandId strand, long size, Set<Digest> signers)
      throws RequestRejectedException;
}
