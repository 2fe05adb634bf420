package io.tallystick.audit.history;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.journal.Extension;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.Role;
import io.tallystick.removal.Snapshot;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// The purges of a log, and which of them were recalled. What a purge asks is judged where it
/// stands; whether its snapshot is that of the log, and who had to sign, once the snapshot has been
/// made from the log again. Not thread-safe. Source: `docs/formats/removal.md`.
public final class PurgeReplay {
  /// No journal.
  public static final long NONE = -1;

  static final int PURGES_MAX = 1_000;

  private final List<Seen> seen = new ArrayList<>();

  /// The lowest leaf that the log has, and the purge by which it is.
  private long start;

  private long startedBy = NONE;

  /// Whether the source now begins at a later leaf than in the run before, with another purge.
  private boolean farther;

  /// How far the regulators among the signers of a purge count, should it need one.
  enum Regulators {
    NONE(0),
    TOO_NEW(1),
    COUNT(2),
    /// As long as the service's clock was right.
    BY_CLOCK(3);

    private final int code;

    Regulators(int code) {
      this.code = code;
    }

    private static Regulators ofCode(int code) throws MalformedException {
      for (Regulators each : values()) {
        if (each.code == code) {
          return each;
        }
      }
      throw new MalformedException("regulators " + code + " are not defined");
    }
  }

  /// @param digest of the snapshot that it names
  /// @param lowest jsn that it removes
  record Seen(AuditedRemovals.Purge purge, Digest digest, long lowest, Regulators regulators) {
    private Seen with(AuditedRemovals.Purge other) {
      return new Seen(other, digest, lowest, regulators);
    }
  }

  /// The log begins there, or began there in the run before.
  ///
  /// @param purge by which it begins there
  void beginAt(long firstKept, long purge) {
    start = firstKept;
    startedBy = purge;
  }

  /// {@link #NONE} if the log begins with genesis.
  public long startedBy() {
    return startedBy;
  }

  /// The source has less than the log that the run before began with: that one's purge may have
  /// been recalled since.
  public void beginsFarther() {
    farther = true;
  }

  /// The lowest leaf that the log has.
  long start() {
    return start;
  }

  /// Whether this journal was purged, so that nobody can judge a removal that names it any more:
  /// one that came before the purge may name it.
  boolean unknown(long jsn) {
    return jsn < start;
  }

  /// The lowest jsn that no purge so far removed.
  long firstKept() {
    return last().map(each -> each.purge.firstKept()).orElse(0L);
  }

  private Optional<Seen> last() {
    return seen.reversed().stream().filter(each -> each.purge.recalledJsn() == NONE).findFirst();
  }

  /// @param signed who signed it, members
  /// @param newestSize of the newest time journal; negative if there is none
  /// @throws FaultException unless a purge may go that far now
  void purge(
      RemovalReplay.Signed signed,
      List<AuditedRemovals.Signer> signers,
      Extension.Purge content,
      Regulators regulators,
      long newestSize)
      throws FaultException, AuditLimitException {
    long firstKept = content.firstKept().value();
    if (firstKept > signed.blockJsn()) {
      throw invalid(
          signed,
          String.format(
              Locale.ROOT,
              "it goes up to %d, its own block begins at %d",
              firstKept,
              signed.blockJsn()));
    }
    Optional<Seen> last = last();
    if (last.isPresent() && firstKept <= last.get().purge.jsn()) {
      throw invalid(
          signed,
          String.format(
              Locale.ROOT,
              "it goes up to %d, the purge before stands at %d",
              firstKept,
              last.get().purge.jsn()));
    }
    if (last.isPresent() && open(last.get(), signed.timeMs())) {
      throw invalid(
          signed,
          "purge " + last.get().purge.jsn() + " can still be recalled; one is open at a time");
    }
    if (newestSize >= 0 && firstKept > newestSize) {
      throw invalid(
          signed,
          String.format(
              Locale.ROOT,
              "it goes up to %d, the newest time journal is about size %d",
              firstKept,
              newestSize));
    }
    if (seen.size() == PURGES_MAX) {
      throw new AuditLimitException("more than " + PURGES_MAX + " purges");
    }
    AuditedRemovals.Purge purge =
        new AuditedRemovals.Purge(
            signed.jsn(),
            signed.timeMs(),
            firstKept,
            content.height(),
            content.recallMs(),
            signers,
            List.of(),
            List.of(),
            NONE,
            false);
    seen.add(new Seen(purge, content.snapshotDigest(), firstKept(), regulators));
  }

  private static boolean open(Seen purge, long timeMs) {
    return timeMs - purge.purge.timeMs() <= purge.purge.recallMs();
  }

  /// @throws FaultException unless it names the newest purge, in time, and what that removed is
  ///   there
  void recall(RemovalReplay.Signed signed, Extension.Recall content)
      throws FaultException, AuditLimitException {
    Optional<Seen> last = last();
    long named = content.purge().value();
    if (last.isEmpty() || last.get().purge.jsn() != named) {
      throw new FaultException(
          signed.jsn(),
          FaultKind.RECALL_INVALID,
          String.format(Locale.ROOT, "journal %d is not the newest purge", named));
    }
    AuditedRemovals.Purge purge = last.get().purge;
    if (!open(last.get(), signed.timeMs())) {
      throw new FaultException(
          signed.jsn(),
          FaultKind.RECALL_INVALID,
          String.format(
              Locale.ROOT,
              "purge %d of %s could be recalled for %d ms, the leaf is of %s",
              named,
              Printable.time(purge.timeMs()),
              purge.recallMs(),
              Printable.time(signed.timeMs())));
    }
    if (named == startedBy && farther) {
      throw new AuditLimitException(
          String.format(
              Locale.ROOT,
              "journal %d recalls purge %d, with which the log of the run before began, so audit from the beginning",
              signed.jsn(),
              named));
    }
    if (named == startedBy) {
      throw new FaultException(
          signed.jsn(),
          FaultKind.PSEUDO_GENESIS_INVALID,
          String.format(Locale.ROOT, "the log begins with purge %d, which this recalls", named));
    }
    int at = seen.indexOf(last.get());
    seen.set(at, last.get().with(purge.recalledAt(signed.jsn())));
  }

  /// Those whose snapshots are still to be compared, ascending.
  public List<Seen> unjudged() {
    return seen.stream()
        .filter(each -> !each.purge.compared() && each.purge.firstKept() >= start)
        .toList();
  }

  /// Compares a purge's snapshot with that of the log, and who signed with whom it affects.
  ///
  /// @param made of the log at the purge's firstKept, nobody absent; empty if no block ends there
  /// @throws FaultException unless they agree; it counts as compared all the same
  void judge(Seen open, Optional<Snapshot> made) throws FaultException {
    AuditedRemovals.Purge purge = open.purge;
    int at = seen.indexOf(open);
    seen.set(at, open.with(purge.affecting(List.of(), List.of())));
    if (made.isEmpty() || made.get().height() != purge.height()) {
      throw new FaultException(
          purge.jsn(),
          FaultKind.PURGE_INVALID,
          String.format(
              Locale.ROOT, "block %d does not end below %d", purge.height(), purge.firstKept()));
    }
    List<Digest> affected = made.get().affected();
    Set<Digest> signed = new HashSet<>();
    for (AuditedRemovals.Signer signer : purge.signers()) {
      signed.add(signer.kid());
      if (!signer.role().mayAppend() && !affected.contains(signer.kid())) {
        throw new FaultException(
            purge.jsn(),
            FaultKind.ROLE_NOT_ALLOWED,
            String.format(
                Locale.ROOT, "key %s is %s and not affected", signer.kid(), signer.role()));
      }
    }
    List<Digest> absent = affected.stream().filter(kid -> !signed.contains(kid)).toList();
    Digest digest = made.get().withAbsent(absent).digest();
    if (!digest.equals(open.digest)) {
      throw new FaultException(
          purge.jsn(),
          FaultKind.SNAPSHOT_WRONG,
          String.format(
              Locale.ROOT,
              "the log makes a snapshot with digest %s, the purge states %s; of the affected %s did not sign %s",
              digest,
              open.digest,
              affected,
              absent));
    }
    checkRegulators(open, absent);
    seen.set(at, open.with(purge.affecting(affected, absent)));
  }

  private static void checkRegulators(Seen open, List<Digest> absent) throws FaultException {
    boolean counts = open.regulators == Regulators.COUNT || open.regulators == Regulators.BY_CLOCK;
    if (absent.isEmpty() || counts) {
      return;
    }
    boolean none = open.regulators == Regulators.NONE;
    throw new FaultException(
        open.purge.jsn(),
        none ? FaultKind.REGULATOR_MISSING : FaultKind.REGULATOR_TOO_NEW,
        none
            ? String.format(
                Locale.ROOT, "absent are %s, and none of its signers is a regulator", absent)
            : String.format(
                Locale.ROOT,
                "absent are %s, and its regulators do not count for journal %d",
                absent,
                open.lowest));
  }

  /// How many had a member absent, and a regulator who counts by the service's clock alone.
  long byClock() {
    return seen.stream()
        .filter(each -> each.regulators == Regulators.BY_CLOCK && !each.purge.absent().isEmpty())
        .count();
  }

  /// Ascending, those not judged too.
  List<AuditedRemovals.Purge> report() {
    return seen.stream().map(Seen::purge).toList();
  }

  private static FaultException invalid(RemovalReplay.Signed signed, String detail) {
    return new FaultException(signed.jsn(), FaultKind.PURGE_INVALID, detail);
  }

  /// Writes all of it, for {@link #readFrom}.
  void writeTo(DataOutputStream out) throws IOException {
    out.writeInt(seen.size());
    for (Seen each : seen) {
      AuditedRemovals.Purge purge = each.purge;
      out.writeLong(purge.jsn());
      out.writeLong(purge.timeMs());
      out.writeLong(purge.firstKept());
      out.writeLong(purge.height());
      out.writeLong(purge.recallMs());
      out.writeLong(purge.recalledJsn());
      out.write(each.digest.toArray());
      out.writeLong(each.lowest);
      out.writeByte(each.regulators.code);
      out.writeBoolean(purge.compared());
      out.writeInt(purge.signers().size());
      for (AuditedRemovals.Signer signer : purge.signers()) {
        out.write(signer.kid().toArray());
        out.writeByte(signer.role().code());
      }
      write(purge.affected(), out);
      write(purge.absent(), out);
    }
  }

  private static void write(List<Digest> kids, DataOutputStream out) throws IOException {
    out.writeInt(kids.size());
    for (Digest kid : kids) {
      out.write(kid.toArray());
    }
  }

  /// Before any was seen. Its writer is trusted.
  void readFrom(DataInputStream in) throws IOException, MalformedException {
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      long[] numbers = new long[6];
      for (int k = 0; k < numbers.length; k++) {
        numbers[k] = in.readLong();
      }
      Digest digest = kid(in);
      long lowest = in.readLong();
      Regulators regulators = Regulators.ofCode(in.readByte());
      boolean compared = in.readBoolean();
      List<AuditedRemovals.Signer> signers = new ArrayList<>();
      int signed = in.readInt();
      for (int k = 0; k < signed; k++) {
        Digest kid = kid(in);
        int role = in.readByte();
        signers.add(
            new AuditedRemovals.Signer(
                kid,
                Role.ofCode(role)
                    .orElseThrow(
                        () -> new MalformedException("role " + role + " is not defined"))));
      }
      AuditedRemovals.Purge purge =
          new AuditedRemovals.Purge(
              numbers[0],
              numbers[1],
              numbers[2],
              numbers[3],
              numbers[4],
              signers,
              kids(in),
              kids(in),
              numbers[5],
              compared);
      seen.add(new Seen(purge, digest, lowest, regulators));
    }
  }

  private static List<Digest> kids(DataInputStream in) throws IOException {
    int count = in.readInt();
    List<Digest> kids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      kids.add(kid(in));
    }
    return kids;
  }

  private static Digest kid(DataInputStream in) throws IOException {
    return Digest.of(in.readNBytes(Digest.BYTES));
  }
}
