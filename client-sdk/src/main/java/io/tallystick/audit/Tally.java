package io.tallystick.audit;

/// Running counts of one chunk or of the whole audit. Not thread-safe.
final class Tally {
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

  /// Adds what a worker counts.
  void add(Tally chunk) {
    journals += chunk.journals;
    bodies += chunk.bodies;
    bodiesErased += chunk.bodiesErased;
    bodiesDamaged += chunk.bodiesDamaged;
    bytes += chunk.bytes;
  }

  /// A copy with more bytes.
  Tally plusBytes(long more) {
    Tally copy = new Tally();
    copy.leaves = leaves;
    copy.blocks = blocks;
    copy.batches = batches;
    copy.signatures = signatures;
    copy.memberChanges = memberChanges;
    copy.add(this);
    copy.bytes += more;
    return copy;
  }

  AuditCounts counts() {
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
        bytes);
  }
}
