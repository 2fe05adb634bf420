package io.tallystick.server.sim.cluster;

/// A fault that is planted in what a shard stands on, to see that the simulator finds it.
enum Bug {
  NONE,

  /// A segment is listed by whoever comes last, owner or not.
  LISTS_WITHOUT_CHECK,

  /// A frame counts as confirmed, and what it seals is signed, when it was sent.
  SIGNS_BEFORE_CONFIRMATION,

  /// The newest head is told without a lease.
  NO_LEASE,

  /// A size is said to be in the future without a lease.
  FUTURE_SIZE_WITHOUT_LEASE,

  /// A frame whose add was not answered is written again, by a new writer.
  WRITES_FRAME_AGAIN,

  /// A log whose listing was not answered is deleted.
  DELETES_LISTED_LOG,

  /// Segments are dropped as soon as a savepoint of the owner's own holds them.
  ERASES_PAST_SHIPPED,

  /// A note is acknowledged before its frame is there.
  NOTE_PAST_FRAME,

  /// A change of a note is made whatever its row has become.
  LOSES_COMPARE_AND_SET
}
