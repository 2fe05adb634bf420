package io.tallystick.storage.replicated;

/// A segment as it stood in the list.
///
/// @param version of its path
record ListedSegment(int number, SegmentRecord record, int version) {}
