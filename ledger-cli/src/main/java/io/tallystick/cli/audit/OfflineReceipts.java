package io.tallystick.cli.audit;

import io.tallystick.cli.option.LedgerKeysFile;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.ReceiptVerifier;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.durable.PlainFile;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options for verifying saved files without a service: genesis and key chain, from files or
/// from the trust directory.
final class OfflineReceipts {
  private static final int FILE_BYTES_MAX = 64 << 20;

  @Option(
      names = "--offline",
      description = "Ask no service: verify the files alone, by the keys of the trust directory")
  private boolean offline;

  @Option(
      names = "--genesis",
      paramLabel = "FILE",
      description =
          "The ledger's GenesisParams, instead of those in the trust directory. Implies --offline")
  private @Nullable Path genesis;

  @Option(
      names = "--key-chain",
      paramLabel = "FILE",
      description =
          "The key chain of a ledger whose service keys were rotated, as `tally keys chain` and "
              + "`tally export` write it. Implies --offline")
  private @Nullable Path keyChain;

  boolean wanted() {
    return offline || named();
  }

  /// Whether a file is named to take keys from.
  boolean named() {
    return genesis != null || keyChain != null;
  }

  /// @param trust directory, read only if it is needed
  ReceiptVerifier verifier(Path trust, LedgerId ledger)
      throws TallyException, IOException, UsageException {
    ReceiptVerifier verifier =
        genesis == null
            ? ReceiptVerifier.fromTrustStore(trust, ledger)
            : ReceiptVerifier.of(
                ledger, LedgerKeysFile.genesisParams(read(genesis, FILE_BYTES_MAX), genesis));
    if (keyChain == null) {
      return verifier;
    }
    // The file's alone: it may be older than what the trust directory has.
    return ReceiptVerifier.of(ledger, verifier.trust().genesisBytes())
        .withKeyChain(LedgerKeysFile.keyChain(read(keyChain, FILE_BYTES_MAX), keyChain).encode());
  }

  /// The newest head in the trust directory, if the keys come from there: files of others do not
  /// say what this user trusts.
  Optional<SignedHead> trusted(Path trust, LedgerId ledger) throws TallyException {
    return genesis == null
        ? TrustedLog.saved(trust, ledger, SignatureProviders.best())
        : Optional.empty();
  }

  /// A failure with the file's name, and what may help.
  static VerificationException explained(VerificationException failure, Path file) {
    String rotated =
        failure.reason() == Reason.WRONG_KEY
            ? ". If the service's keys were rotated, give the ledger's key chain (--key-chain)"
            : "";
    String detail =
        failure.getCause() instanceof ProofRejectedException why
            ? why.detail()
            : failure.getMessage();
    return new VerificationException(
        new ProofRejectedException(failure.reason(), file + ": " + detail + rotated, failure));
  }

  /// @throws IOException also if the file is longer than `bytesMax`
  static Bytes read(Path file, int bytesMax) throws IOException {
    LocalPaths.checkNoFolder(file);
    try (InputStream in = PlainFile.open(file)) {
      byte[] content = in.readNBytes(bytesMax + 1);
      if (content.length > bytesMax) {
        throw new IOException(
            String.format(Locale.ROOT, "%s is longer than %d bytes", file, bytesMax));
      }
      return Bytes.wrap(content);
    }
  }
}
