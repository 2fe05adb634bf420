package io.tallystick.cli.option;

import io.tallystick.audit.evidence.EvidenceLog;
import io.tallystick.audit.evidence.EvidenceMaker;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.LogCopySource;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.durable.PlainFile;
import io.tallystick.evidence.KeyChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.time.TrustedTokens;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The options of every `tally evidence` command: files, and no service.
public final class EvidenceOptions {
  private static final int FILE_BYTES_MAX = 64 << 20;

  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id, as you pinned it")
  private String ledgerId = "";

  @Option(
      names = "--genesis",
      paramLabel = "FILE",
      description = "The ledger's GenesisParams; --log has them too")
  private @Nullable Path genesis;

  @Option(
      names = "--log",
      paramLabel = "FILE",
      description = "A copy of the log, as audit --save writes it; it need not pass an audit")
  private @Nullable Path log;

  @Option(
      names = "--key-chain",
      paramLabel = "FILE",
      description = "The key chain of a ledger whose service keys were rotated")
  private @Nullable Path keyChain;

  @Mixin private AuthorityOptions authorities = new AuthorityOptions();

  public StrandId strand() throws UsageException {
    return new StrandId(ServiceOptions.ledgerId(ledgerId), 0);
  }

  /// @param attestations that evidence is made of, by their hash
  public EvidenceMaker maker(List<Digest> attestations)
      throws IOException,
          UsageException,
          LogFormatException,
          AuditLimitException,
          ProofRejectedException {
    Optional<EvidenceLog> copy =
        log == null
            ? Optional.empty()
            : Optional.of(EvidenceLog.read(new LogCopySource(existing(log)), attestations));
    if (genesis == null && copy.isEmpty()) {
      throw new UsageException("--genesis or --log is needed, to know the service's keys");
    }
    Bytes params =
        genesis != null
            ? LedgerKeysFile.genesisParams(read(genesis), genesis)
            : copy.orElseThrow().genesisParams();
    return new EvidenceMaker(strand(), params, chain(), copy);
  }

  private KeyChain chain() throws IOException {
    return keyChain == null ? KeyChain.EMPTY : LedgerKeysFile.keyChain(read(keyChain), keyChain);
  }

  /// Without `--tsa-ca` no token is believed.
  public TrustedTokens tokens() throws IOException, UsageException {
    return authorities
        .tokens()
        .orElse((_, _) -> {
          throw new ProofRejectedException(
              Reason.MISSING, "a token is not judged without --tsa-ca");
        });
  }

  public static Bytes read(Path file) throws IOException {
    existing(file);
    try (InputStream in = PlainFile.open(file)) {
      byte[] content = in.readNBytes(FILE_BYTES_MAX + 1);
      if (content.length > FILE_BYTES_MAX) {
        throw new IOException(
            String.format(Locale.ROOT, "%s is longer than %d bytes", file, FILE_BYTES_MAX));
      }
      return Bytes.wrap(content);
    }
  }

  private static Path existing(Path file) throws IOException {
    LocalPaths.checkNoFolder(file);
    return file;
  }
}
