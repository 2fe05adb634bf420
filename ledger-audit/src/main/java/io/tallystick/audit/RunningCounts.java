package io.tallystick.audit;

/// Running counts of one chunk or of the whole audit. Not thread-safe.
final class RunningCounts {
  long leaves;
  long blocks;
  long journals;
  long batches;
  long signatures;
  long bodies;
  long bodiesErased;
  long bodiesDamaged;
  long memberChanges;
  long bytes;
  long clues;
  long clueEntries;
  long clueDeletions;
  long operations;

  /// Adds what a worker counts.
  void add(RunningCounts chunk) {
    journals += chunk.journals;
    bodies += chunk.bodies;
    bodiesErased += chunk.bodiesErased;
    bodiesDamaged += chunk.bodiesDamaged;
    bytes += chunk.bytes;
  }

  /// Takes over all that an earlier run counted.
  void restore(AuditCounts counts) {
    leaves = counts.leaves();
    blocks = counts.blocks();
    journals = counts.journals();
    batches = counts.batches();
    signatures = counts.signatures();
    bodies = counts.bodies();
    bodiesErased = counts.bodiesErased();
    bodiesDamaged = counts.bodiesDamaged();
    memberChanges = counts.memberChanges();
    bytes = counts.bytes();
    clues = counts.clues();
    clueEntries = counts.clueEntries();
    clueDeletions = counts.clueDeletions();
    operations = counts.operations();
  }

  /// A copy with more bytes.
  RunningCounts plusBytes(long more) {
    RunningCounts copy = new RunningCounts();
    copy.leaves = leaves;
    copy.blocks = blocks;
    copy.batches = batches;
    copy.signatures = signatures;
    copy.memberChanges = memberChanges;
    copy.clues = clues;
    copy.clueEntries = clueEntries;
    copy.clueDeletions = clueDeletions;
    copy.operations = operations;
    copy.add(this);
    copy.bytes += more;
    return copy;
  }

  AuditCounts snapshot() {
    return new AuditCounts(
        leaves,
        blocks,
        journals,
        batches,
        signatures,
        bodies,
        bodiesErased,
        bodiesDamaged,
        memberChanges,
        bytes,
        clues,
        clueEntries,
        clueDeletions,
        operations);
  }
}
