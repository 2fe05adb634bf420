package io.tallystick.audit.history;

import io.tallystick.journal.Extension;
import io.tallystick.model.Role;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// From when on regulators count for journals older than their appointment: 30 days behind the
/// first time journal that covers the appointment; in a log without time journals, behind the
/// appointment. Not thread-safe. Source: `docs/formats/removal.md`.
final class RegulatorDays {
  static final long NOT_BEGUN = Long.MAX_VALUE;
  private static final long DELAY_MS = 30L * 24 * 60 * 60 * 1000;

  /// The time noted for a time journal from below a purged log's start: an earlier one that is gone
  /// may have been the first.
  private static final long PURGED = -1;

  /// Appointments that no time journal covers yet.
  private final TreeSet<Long> uncovered = new TreeSet<>();

  /// By size, the leaf's time of each time journal that is the first to cover an appointment.
  private final TreeMap<Long, Long> covering = new TreeMap<>();

  private boolean anchored;

  /// Whether the log has had a time journal.
  boolean anchored() {
    return anchored;
  }

  /// A journal that keeps the rules.
  void journal(long jsn, long timeMs, Extension change) {
    switch (change) {
      case Extension.Time time -> anchor(time.size().value(), timeMs);
      case Extension.MemberAdd add -> appoint(jsn, add.role());
      case Extension.Grant grant -> appoint(jsn, grant.role());
      case Extension.None _,
          Extension.MemberRevoke _,
          Extension.Parameters _,
          Extension.KeyRotation _,
          Extension.Removal _,
          Extension.Close _ -> {}
    }
  }

  /// A journal that stays from below where a purged log begins.
  void kept(long jsn, Extension change) {
    journal(jsn, PURGED, change);
  }

  private void appoint(long jsn, Role role) {
    if (role == Role.REGULATOR) {
      uncovered.add(jsn);
    }
  }

  private void anchor(long size, long timeMs) {
    anchored = true;
    if (!uncovered.headSet(size).isEmpty()) {
      covering.put(size, timeMs);
      uncovered.headSet(size).clear();
    }
  }

  /// From when on a regulator counts for older journals; {@link #NOT_BEGUN} if that is not known.
  ///
  /// @param sinceJsn the journal that made it one
  /// @param sinceMs of that journal's leaf
  long countsFromMs(long sinceJsn, long sinceMs) {
    Map.Entry<Long, Long> first = covering.higherEntry(sinceJsn);
    if (anchored && first == null) {
      return NOT_BEGUN;
    }
    long beginMs = first == null || first.getValue() == PURGED ? sinceMs : first.getValue();
    return beginMs + DELAY_MS;
  }

  void writeTo(DataOutputStream out) throws IOException {
    out.writeBoolean(anchored);
    out.writeInt(uncovered.size());
    for (long jsn : uncovered) {
      out.writeLong(jsn);
    }
    out.writeInt(covering.size());
    for (Map.Entry<Long, Long> entry : covering.entrySet()) {
      out.writeLong(entry.getKey());
      out.writeLong(entry.getValue());
    }
  }

  /// Before any journal. Its writer is trusted.
  void readFrom(DataInputStream in) throws IOException {
    anchored = in.readBoolean();
    for (int left = in.readInt(); left > 0; left--) {
      uncovered.add(in.readLong());
    }
    for (int left = in.readInt(); left > 0; left--) {
      long size = in.readLong();
      covering.put(size, in.readLong());
    }
  }
}
