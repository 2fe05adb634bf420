package io.tallystick.cli.audit;

import io.tallystick.audit.Auditor;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.options.Submitters;
import io.tallystick.audit.options.TimeOptions;
import io.tallystick.audit.options.TrustedTLedger;
import io.tallystick.audit.source.FolderTiles;
import io.tallystick.audit.source.LogCopySource;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.TileLogSource;
import io.tallystick.cli.option.LedgerKeysFile;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.crypto.Signatures;
import io.tallystick.durable.PlainFile;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/// How `tally audit` judges entries of T-Ledgers: those that time journals show, or those of the
/// T-Ledger that it audits.
final class TLedgerAuditOptions {
  private static final String BODIES = "bodies";
  private static final byte[] COPY = "TALLYLOG".getBytes(StandardCharsets.US_ASCII);
  private static final String GENESIS = ".genesis";

  @Option(
      names = "--t-ledger",
      paramLabel = "GENESIS|COPY|DIR",
      description =
          "A T-Ledger by which time journals are judged that show an entry of it: a file with its "
              + "GenesisParams, which bounds no time; or its whole log, a copy or a folder of "
              + "export, which is audited first. Repeat it for more. Default: no entry is judged")
  private List<Path> tLedgers = List.of();

  @Option(
      names = "--heads",
      description = "The audited ledger is a T-Ledger: judge each head that it holds")
  private boolean heads;

  @Option(
      names = "--submitter",
      paramLabel = "GENESIS|DIR",
      description =
          "GenesisParams of a ledger whose heads the T-Ledger holds, or a folder of such files, "
              + "*.genesis. Repeat it for more. The key chain of rotated keys is in GENESIS"
              + ".key-chain. Heads of other ledgers are counted, not judged; with --heads")
  private List<Path> submitters = List.of();

  boolean asked() {
    return heads || !tLedgers.isEmpty() || !submitters.isEmpty();
  }

  /// Whether the audited ledger is a T-Ledger.
  boolean heads() {
    return heads;
  }

  void check() throws UsageException, NoSuchFileException {
    if (!heads && !submitters.isEmpty()) {
      throw new UsageException("--submitter says whose heads a T-Ledger holds; it needs --heads");
    }
    for (Path each : Stream.concat(tLedgers.stream(), submitters.stream()).toList()) {
      if (!Files.exists(each)) {
        throw new NoSuchFileException(each.toString());
      }
    }
  }

  /// @param audited whose time journals are to be judged
  /// @param options of that audit: by its authorities the T-Ledger's own tokens are judged
  /// @throws ProofRejectedException if a T-Ledger has a fault itself
  List<TrustedTLedger> trusted(LedgerId audited, AuditOptions options, Signatures signatures)
      throws IOException, AuditLimitException, InterruptedException, ProofRejectedException {
    AuditOptions own =
        options.withTime(options.time().tokens().map(TimeOptions::by).orElse(TimeOptions.NONE));
    List<TrustedTLedger> all = new ArrayList<>();
    for (Path each : tLedgers) {
      Optional<LogSource> log = log(each);
      if (log.isPresent()) {
        all.add(new Auditor(signatures).tLedger(log.get(), audited, own));
      } else {
        LedgerKeysFile file = new LedgerKeysFile(each);
        all.add(TrustedTLedger.of(file.genesisParams(), file.chain(), signatures));
      }
    }
    return all;
  }

  /// @return empty if the file holds GenesisParams
  private static Optional<LogSource> log(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      boolean bodies = Files.isDirectory(path.resolve(BODIES));
      return Optional.of(new TileLogSource(new FolderTiles(path), bodies));
    }
    try (InputStream in = PlainFile.open(path)) {
      return Arrays.equals(in.readNBytes(COPY.length), COPY)
          ? Optional.of(new LogCopySource(path))
          : Optional.empty();
    }
  }

  /// @throws ProofRejectedException if a file is not what it should be
  Submitters submitters(Signatures signatures) throws IOException, ProofRejectedException {
    List<Submitters.Keys> known = new ArrayList<>();
    for (Path each : submitters) {
      for (Path file : files(each)) {
        known.add(new LedgerKeysFile(file).keys(signatures));
      }
    }
    return Submitters.of(known);
  }

  private static List<Path> files(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> there = Files.list(path)) {
      return there
          .filter(file -> String.valueOf(file.getFileName()).endsWith(GENESIS))
          .sorted()
          .toList();
    }
  }
}
