package io.tallystick.audit.finding;

/// Running counts of one chunk or of the whole audit. Not thread-safe.
public final class RunningCounts {
  public long leaves;
  public long blocks;
  public long journals;
  public long batches;
  public long signatures;
  public long bodies;
  public long bodiesErased;
  public long bodiesDamaged;
  public long memberChanges;
  public long bytes;
  public long clues;
  public long clueEntries;
  public long clueDeletions;
  public long operations;

  /// Adds what a worker counts.
  public void add(RunningCounts chunk) {
    journals += chunk.journals;
    bodies += chunk.bodies;
    bodiesErased += chunk.bodiesErased;
    bodiesDamaged += chunk.bodiesDamaged;
    bytes += chunk.bytes;
  }

  /// Takes over all that an earlier run counted.
  public void restore(AuditCounts counts) {
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
  public RunningCounts plusBytes(long more) {
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

  public AuditCounts snapshot() {
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
