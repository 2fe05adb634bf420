package io.tallystick.storage.clue;

import io.tallystick.model.Digest;

/// One journal of a clue.
///
/// @param index of the entry within the clue, from 0
/// @param leafHash of the journal
public record ClueEntry(long index, long jsn, Digest leafHash) {}
