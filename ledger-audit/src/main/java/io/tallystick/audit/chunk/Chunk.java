package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.source.EntryRun;
import io.tallystick.audit.source.LogEnd;
import io.tallystick.model.Bytes;
import org.jspecify.annotations.Nullable;

/// A run of entries that one worker checks alone: it never cuts a submission in two, unless the log
/// is faulty there.
///
/// @param sourceFault why no entry follows, if the source is at fault
/// @param end the signed heads, with the last chunk of a whole log
/// @param leafBefore the leaf before the first, where the audit goes on from one; else null
public record Chunk(
    long firstJsn,
    EntryRun entries,
    @Nullable AuditFault sourceFault,
    @Nullable LogEnd end,
    @Nullable Bytes leafBefore) {

  /// Null if there is none, here and before.
  @Nullable Bytes lastLeaf() {
    return entries.count() == 0 ? leafBefore : entries.leaf(entries.count() - 1);
  }

  boolean last() {
    return sourceFault != null || end != null;
  }
}
