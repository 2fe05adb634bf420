package io.tallystick.audit.export;

import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.AuditProgress;
import io.tallystick.audit.finding.CompactRange;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.ProgressMeter;
import io.tallystick.audit.history.EarlierHeads;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.audit.statement.TimeHeads;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Extension;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// Writes a log's time-stamp tokens beside what they stamp, so that `openssl ts -verify` alone
/// checks them: `JSN.tst`, the token; `JSN.head`, the three lines of the checkpoint; and last, when
/// the log's own signed head was verified, {@link #COMMANDS}. Of a log whose prefix was purged it
/// writes the token that stays from below, and those of what is left. Used once.
public final class TimeExport {
  /// The file that has a command for each token.
  public static final String COMMANDS = "commands.txt";

  private static final long MILLIS_PER_SECOND = 1_000;

  private final Path folder;
  private final Signatures signatures;
  private final AuditProgress progress;
  private final CompactRange tree = new CompactRange();
  private final TimeHeads heads = new TimeHeads(TimeHeads.KEPT_MAX);
  private final StringBuilder commands = new StringBuilder();
  private final List<Extension.Time> below = new ArrayList<>();
  private long firstKept;
  private long tokens;
  private long others;

  /// @param folder made if need be; else empty
  public TimeExport(Path folder, Signatures signatures, AuditProgress progress) {
    this.folder = folder;
    this.signatures = signatures;
    this.progress = progress;
  }

  /// An export that was written.
  ///
  /// @param size of the log
  /// @param tokens written
  /// @param others time journals that another ledger anchors, which have no token
  public record Exported(long size, Digest root, long tokens, long others) {}

  /// Checks that each stamped head is one that the log had, and that the service signed the log's
  /// last head. Tokens are not judged, and nothing else is: that is for an audit.
  ///
  /// @throws LogFormatException if the source breaks off or is no log of the pinned ledger
  /// @throws ProofRejectedException if a stamped head is not of this log, or the last one is not
  ///   signed
  /// @throws AuditLimitException if a time journal names a head that is too old to be kept
  public Exported write(StrandId pinned, LogSource source)
      throws IOException, LogFormatException, ProofRejectedException, AuditLimitException {
    return write(pinned, source, Optional.empty());
  }

  /// The same of a log that must contain a head which was trusted before.
  ///
  /// @throws ProofRejectedException also if it does not
  /// @throws AuditLimitException also if a purge removed the head, and the source cannot show that
  ///   the log continues it
  public Exported write(StrandId pinned, LogSource source, Optional<SignedHead> trusted)
      throws IOException, LogFormatException, ProofRejectedException, AuditLimitException {
    claim();
    Optional<ExportStart> start = ExportStart.of(pinned, source, signatures);
    firstKept = start.map(ExportStart::firstKept).orElse(0L);
    try (LogReader log = source.open(firstKept, 0)) {
      LogEntry entry = log.next();
      if (entry == null) {
        throw LogFormatException.truncated("the log has no leaf " + firstKept);
      }
      ExportHeads signed = ExportHeads.of(pinned, start, entry, signatures);
      if (start.isPresent()) {
        begin(signed.origin(), start.get().beginning());
      }
      ExportHeads.checkReachesTrusted(trusted, log.size());
      ExportHeads.checkTrusted(trusted, tree.size(), tree);
      ProgressMeter meter = new ProgressMeter(progress, log.size());
      for (; entry != null; entry = log.next()) {
        signed.follow(tree.size(), entry);
        add(signed.origin(), entry);
        ExportHeads.checkTrusted(trusted, tree.size(), tree);
        meter.update(tree.size());
      }
      signed.check(log.end().checkpoint(), tree.size(), tree.root());
      ExportHeads.checkReachesTrusted(trusted, tree.size());
    }
    EarlierHeads earlier = new EarlierHeads(source, firstKept, tree.size(), tree.root());
    join(earlier);
    if (trusted.isPresent()) {
      joinTrusted(earlier, trusted.get());
    }
    Files.writeString(folder.resolve(COMMANDS), introduction(pinned) + commands);
    return new Exported(tree.size(), tree.root(), tokens, others);
  }

  private static String introduction(StrandId strand) {
    return String.format(
        Locale.ROOT,
        """
        # Time-stamp tokens of ledger %s, strand %d.
        # JSN.tst is the token of time journal JSN. JSN.head is the head that it stamps: origin, size
        # and root hash of the log's tree; SHA-256 of this file is the imprint in the token.
        # ca.pem has the authority's own certificates. Get them from the authority, not from the
        # operator of the ledger. -attime is the journal's time, at most 10 s from the token's: the
        # authority's certificates are judged then. For the time in a token:
        # openssl ts -reply -token_in -token_out -in JSN.tst -text
        """,
        strand.ledger(),
        strand.strand());
  }

  private void claim() throws IOException {
    Files.createDirectories(folder);
    try (Stream<Path> there = Files.list(folder)) {
      if (there.findAny().isPresent()) {
        throw new FileSystemException(folder.toString(), null, "is not empty");
      }
    }
  }

  /// Goes on behind the seal up to which the log was purged, with the time journal that stays.
  private void begin(String origin, Beginning beginning)
      throws IOException, ProofRejectedException, AuditLimitException {
    for (Beginning.Kept kept : beginning.kept()) {
      if (kept.journal().header().extension() instanceof Extension.Time time) {
        stamped(kept.jsn(), kept.journal().timeMs(), origin, time);
      }
    }
    tree.restore(firstKept - 1, beginning.snapshot().frontier());
    tree.append(beginning.sealHash().toArray(), 0);
    heads.add(new TimeHeads.Head(tree.size(), tree.root(), 0));
  }

  /// Shows that the log continues the heads from below what is left of it.
  private void join(EarlierHeads earlier)
      throws IOException, ProofRejectedException, AuditLimitException {
    for (Extension.Time time : below) {
      try {
        earlier.join(time.size(), time.root(), FaultKind.TIME_HEAD_WRONG);
      } catch (FaultException e) {
        throw new ProofRejectedException(
            Reason.ROOT_MISMATCH,
            String.format(
                Locale.ROOT,
                "a time journal is about size %s and root %s: %s",
                time.size(),
                time.root(),
                e.getMessage()),
            e);
      }
    }
  }

  private static void joinTrusted(EarlierHeads earlier, SignedHead trusted)
      throws IOException, ProofRejectedException, AuditLimitException {
    try {
      earlier.join(trusted.size(), trusted.root(), FaultKind.TRUSTED_HEAD_CONTRADICTED);
    } catch (FaultException e) {
      throw new ProofRejectedException(
          Reason.ROOT_MISMATCH,
          String.format(
              Locale.ROOT,
              "the log does not continue the trusted head of %s leaves: %s",
              trusted.size(),
              e.getMessage()),
          e);
    }
  }

  private void add(String origin, LogEntry entry)
      throws IOException, LogFormatException, ProofRejectedException, AuditLimitException {
    long jsn = tree.size();
    tree.append(TreeHasher.leafHash(entry.leaf()).toArray(), 0);
    try {
      switch (Leaf.decode(entry.leaf())) {
        case SealLeaf _ -> heads.add(new TimeHeads.Head(tree.size(), tree.root(), 0));
        case JournalLeaf leaf -> {
          if (RequestHeader.decode(leaf.header()).extension() instanceof Extension.Time time) {
            stamped(jsn, leaf.timeMs(), origin, time);
          }
        }
        case GenesisLeaf _ -> {}
      }
    } catch (MalformedException e) {
      throw LogFormatException.malformed(e);
    }
  }

  private void stamped(long jsn, long timeMs, String origin, Extension.Time time)
      throws IOException, ProofRejectedException, AuditLimitException {
    boolean purged = time.size().value() < firstKept;
    if (purged) {
      below.add(time);
    }
    boolean known =
        purged
            || heads.find(time.size().value()).stream()
                .anyMatch(head -> head.root().equals(time.root().digest()));
    if (!known) {
      throw new ProofRejectedException(
          Reason.ROOT_MISMATCH,
          String.format(
              Locale.ROOT,
              "time journal %d is about size %s and root %s, which no block before left",
              jsn,
              time.size(),
              time.root()));
    }
    heads.clear();
    switch (time.proof()) {
      case TimeProof.TLedger _ -> others++;
      case TimeProof.Token(Bytes token) -> {
        String head = new Checkpoint(origin, time.size(), time.root()).text();
        Files.write(folder.resolve(jsn + ".tst"), token.toArray());
        Files.writeString(folder.resolve(jsn + ".head"), head);
        commands.append(command(jsn, timeMs));
        tokens++;
      }
    }
  }

  private static String command(long jsn, long timeMs) {
    return String.format(
        Locale.ROOT,
        "openssl ts -verify -token_in -in %d.tst -data %d.head -CAfile ca.pem -attime %d%n",
        jsn,
        jsn,
        timeMs / MILLIS_PER_SECOND);
  }
}
