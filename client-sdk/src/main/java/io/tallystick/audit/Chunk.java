package io.tallystick.audit;

import org.jspecify.annotations.Nullable;

/// A run of entries that one worker checks alone: it never cuts a submission in two, unless the log
/// is faulty there.
///
/// @param sourceFault why no entry follows, if the source is at fault
/// @param end the signed heads, with the last chunk of a whole log
record Chunk(
    long firstJsn, EntryRun entries, @Nullable AuditFault sourceFault, @Nullable LogEnd end) {

  boolean last() {
    return sourceFault != null || end != null;
  }
}
