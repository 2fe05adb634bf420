package io.tallystick.audit.finding;

import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import java.util.List;
import java.util.Optional;

/// The removals from an audited log, and who signed for them.
///
/// @param occults ascending by jsn, at most 1,000
/// @param count of all occults, in the list or not
/// @param journals that they name
/// @param present of them, how many bodies were still there when this auditor read them: a copy may
///   be older than the removal
/// @param waiting bodies that are gone and that no occult had named where the audit ended; 0 unless
///   it ended at a fault
/// @param byClock removals whose regulator counts for 30 days by the service's clock alone, because
///   the log has no time journal
/// @param purges ascending by jsn, recalled ones too; of one below the prefix only what it says
/// @param prefix what is not in the log any more; empty if it has all leaves
public record AuditedRemovals(
    List<Occult> occults,
    long count,
    long journals,
    long present,
    long waiting,
    long byClock,
    List<Purge> purges,
    Optional<Prefix> prefix) {
  public static final int KEPT_MAX = 1_000;
  public static final int RANGES_MAX = 100;

  /// The removals from a log whose genesis was not accepted: none is known.
  public static final AuditedRemovals NONE =
      new AuditedRemovals(List.of(), 0, 0, 0, 0, 0, List.of(), Optional.empty());

  public AuditedRemovals {
    occults = List.copyOf(occults);
    purges = List.copyOf(purges);
  }

  /// An occult that keeps the rules.
  ///
  /// @param timeMs of its leaf
  /// @param basis why, in its signers' words, safe to print
  /// @param clue all of whose journals of a range it names; empty: it names journals one by one
  /// @param signers ascending by kid
  /// @param journals how many it names
  /// @param gone which, as ranges; the first 100
  public record Occult(
      long jsn,
      long timeMs,
      String basis,
      Optional<Digest> clue,
      List<Signer> signers,
      long journals,
      List<Range> gone) {
    public Occult {
      signers = List.copyOf(signers);
      gone = List.copyOf(gone);
    }
  }

  /// The part of a log that an audit cannot know, because it was purged.
  ///
  /// @param firstKept all below is gone
  /// @param purgeJsn by which purge
  public record Prefix(long firstKept, long purgeJsn) {}

  /// A purge: all journals below firstKept go, up to the seal of `height`.
  ///
  /// @param timeMs of its leaf
  /// @param recallMs how long it could be recalled
  /// @param signers ascending by kid
  /// @param affected who had to sign, ascending; empty if that is not known
  /// @param absent who of them did not
  /// @param recalledJsn the journal that took it back; negative if none did
  /// @param compared whether its snapshot was compared with that of the log; it cannot be if what
  ///   it removes was purged before this audit
  public record Purge(
      long jsn,
      long timeMs,
      long firstKept,
      long height,
      long recallMs,
      List<Signer> signers,
      List<Digest> affected,
      List<Digest> absent,
      long recalledJsn,
      boolean compared) {
    public Purge {
      signers = List.copyOf(signers);
      affected = List.copyOf(affected);
      absent = List.copyOf(absent);
    }

    public Purge recalledAt(long recall) {
      return new Purge(
          jsn, timeMs, firstKept, height, recallMs, signers, affected, absent, recall, compared);
    }

    /// Its snapshot was compared.
    public Purge affecting(List<Digest> members, List<Digest> missing) {
      return new Purge(
          jsn, timeMs, firstKept, height, recallMs, signers, members, missing, recalledJsn, true);
    }
  }

  /// @param role when it signed
  public record Signer(Digest kid, Role role) {}

  /// Both included.
  public record Range(long first, long last) {}
}
