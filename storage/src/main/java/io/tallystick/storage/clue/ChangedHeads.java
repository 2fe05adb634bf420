package io.tallystick.storage.clue;

import io.tallystick.storage.meta.MetaBatch;

/// The heads of one index that changed: since the changed clues were last visited, since the last
/// savepoint, and before that while its batch may not be written. Each list is in the order in
/// which the heads came to it. What has outgrown its array stays in them without flags and is
/// passed over, its copy is behind it. The owner's alone.
final class ChangedHeads {
  private final HeadList touched = new HeadList();
  private HeadList dirty = new HeadList();
  private HeadList saving = new HeadList();

  /// @param lists flags of the lists to put the head into
  void add(byte[] head, int lists) {
    if ((lists & HeadBytes.TOUCHED) != 0) {
      touched.add(head);
    }
    if ((lists & HeadBytes.DIRTY) != 0) {
      dirty.add(head);
    }
    if ((lists & HeadBytes.SAVING) != 0) {
      saving.add(head);
    }
  }

  HeadList touched() {
    return touched;
  }

  boolean isAnyDirty() {
    return dirty.count() > 0;
  }

  /// Puts the rows of what changed since the last savepoint, whose batch has been written, into
  /// `batch`.
  void savepoint(ClueRows rows, MetaBatch batch) {
    for (int i = 0; i < dirty.count(); i++) {
      byte[] head = dirty.at(i);
      if (HeadBytes.has(head, HeadBytes.DIRTY)) {
        batch.put(rows.head(HeadBytes.clueId(head)), HeadRow.encode(head));
        HeadBytes.saving(head);
      }
    }
    HeadList written = dirty;
    dirty = saving;
    saving = written;
  }

  /// The batch of the last savepoint has been written.
  ///
  /// @return the bytes of heads that need no longer stay in memory
  long saved() {
    long freed = 0;
    for (int i = 0; i < saving.count(); i++) {
      byte[] head = saving.at(i);
      if (HeadBytes.has(head, HeadBytes.SAVING)) {
        HeadBytes.clear(head, HeadBytes.SAVING);
        if (!HeadBytes.has(head, HeadBytes.DIRTY)) {
          freed += HeadBytes.memoryBytes(head);
        }
      }
    }
    saving.clear();
    return freed;
  }
}
