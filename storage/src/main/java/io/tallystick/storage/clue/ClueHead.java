package io.tallystick.storage.clue;

/// The newest state of a clue in a clue index.
///
/// @param count of its entries, at least 1
/// @param lastJsn of its newest entry
/// @param deletedJsn that of the newest entry if it deleted the clue, else 0
public record ClueHead(long count, long lastJsn, long deletedJsn) {}
