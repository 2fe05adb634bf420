package io.tallystick.client;

import io.tallystick.head.SignedHead;
import io.tallystick.lineage.LineageEntry;
import java.util.List;
import java.util.Optional;

/// A clue verified from the nearest trusted anchor on: those of its journals that stand above the
/// anchor, and no others, under `head`.
///
/// @param anchor empty if none is set: the journals are all there are
/// @param before how many journals name the clue below the anchor; they are not looked at
public record AnchoredClue(
    String clue,
    SignedHead head,
    Optional<SignedHead> anchor,
    long before,
    List<LineageEntry> journals) {
  public AnchoredClue {
    journals = List.copyOf(journals);
  }
}
