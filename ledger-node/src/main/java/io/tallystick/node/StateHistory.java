package io.tallystick.node;

import java.util.List;
import java.util.OptionalLong;

/// The versions of a key, newest first. Each but the first is the key as of the block before the
/// one that holds the write that the one before it shows.
///
/// @param next height of the version that the next page begins with, which may be pruned; empty if
///   this was the last: the key had no entry before
public record StateHistory(List<ProvenState> versions, OptionalLong next) {
  public StateHistory {
    versions = List.copyOf(versions);
  }
}
