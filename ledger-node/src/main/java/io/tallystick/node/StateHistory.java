package io.tallystick.node;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Writes of a key as they were found in the log, newest first: there may be more though none was
/// found.
///
/// @param size of the tree that they are proven in
/// @param scannedTo all journals from it on were looked at; those below are left for the next page
/// @param over whether nothing is left: the scan came to the founding, or to a purge
/// @param purgeJsn the purge that removed the journals below `scannedTo`
/// @param before at the end: the key in the state before its oldest write; empty as in {@link
///   KeyVersion}
public record StateHistory(
    long size,
    List<KeyVersion> versions,
    long scannedTo,
    boolean over,
    OptionalLong purgeJsn,
    Optional<ProvenState> before) {
  public StateHistory {
    versions = List.copyOf(versions);
  }
}
