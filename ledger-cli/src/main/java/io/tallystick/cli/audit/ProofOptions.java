package io.tallystick.cli.audit;

import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.JournalText;
import io.tallystick.cli.text.SavedHeadText;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.durable.PlainFile;
import io.tallystick.evidence.JournalProof;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// A document and its proof file, which together need no service and no trust directory.
final class ProofOptions {
  @Option(
      names = "--proof",
      paramLabel = "FILE",
      description =
          "A document's proof file, as `tally append --proof` and `tally get --proof` write it. It "
              + "needs --payload, and asks no service")
  private @Nullable Path proof;

  @Option(
      names = "--payload",
      paramLabel = "DOCUMENT",
      description = "The document that the proof file is of")
  private @Nullable Path payload;

  boolean wanted() throws UsageException {
    if ((proof == null) != (payload == null)) {
      throw new UsageException("--proof FILE and --payload DOCUMENT belong together");
    }
    return proof != null;
  }

  /// Verifies and says what is shown.
  ///
  /// @param trust directory, whose newest head the proof's is compared with if it has one
  void verify(LedgerId ledger, Path trust, Output output) throws Exception {
    Signatures signatures = SignatureProviders.best();
    JournalProof.Verified verified = verified(ledger, signatures);
    Optional<SignedHead> trusted = TrustedLog.saved(trust, ledger, signatures);
    SavedHeadText compared = SavedHeadText.of(verified.head(), trusted);
    for (SignedHead head : verified.heads()) {
      // Each may contradict the trusted one.
      compared = SavedHeadText.of(head, trusted);
    }
    print(verified, compared, output);
  }

  private JournalProof.Verified verified(LedgerId ledger, Signatures signatures)
      throws IOException, ProofRejectedException {
    Path document = Objects.requireNonNull(payload);
    Path file = Objects.requireNonNull(proof);
    JournalProof decoded;
    try {
      decoded = JournalProof.decode(OfflineReceipts.read(file, JournalProof.BYTES_MAX));
    } catch (MalformedException e) {
      throw LocalPaths.wrongForm(file, "proof of a journal", e);
    }
    LocalPaths.checkNoFolder(document);
    try (InputStream in = PlainFile.open(document)) {
      return decoded.verify(new StrandId(ledger, 0), signatures, in);
    }
  }

  private void print(JournalProof.Verified verified, SavedHeadText trust, Output output) {
    String text =
        String.format(
            Locale.ROOT,
            "%s: journal %s of %s, %d bytes%s%s%nsigned by %s%n"
                + "Verified: they signed this document, and the service that it stands in a log of "
                + "%s leaves. %s%nAn audit shows that the signers were members.",
            LocalPaths.shown(Objects.requireNonNull(payload)),
            verified.jsn(),
            Instant.ofEpochMilli(verified.journal().timeMs()),
            verified.payloadBytes(),
            verified.contentType().isEmpty() ? "" : ", " + Printable.of(verified.contentType()),
            verified.clues().isEmpty() ? "" : ", clues " + clues(verified),
            String.join(", ", signers(verified)),
            verified.head().size(),
            trust.sentence());
    output.print(text, row(verified, trust.isTrusted()));
  }

  private static String clues(JournalProof.Verified verified) {
    return verified.clues().stream().map(Printable::of).collect(Collectors.joining(", "));
  }

  private static List<String> signers(JournalProof.Verified verified) {
    return verified.signers().stream().map(Digest::hex).toList();
  }

  private static Map<String, Object> row(JournalProof.Verified verified, boolean isTrusted) {
    return Output.object(
        "jsn",
        verified.jsn().value(),
        "timeMs",
        verified.journal().timeMs(),
        "kind",
        JournalText.kind(verified.journal().header().kind()),
        "contentType",
        verified.contentType(),
        "clues",
        verified.clues(),
        "payloadBytes",
        verified.payloadBytes(),
        "signers",
        signers(verified),
        "size",
        verified.head().size().value(),
        "root",
        verified.head().root().digest().hex(),
        "rotations",
        verified.keys().terms().size() - 1,
        "headTrusted",
        isTrusted);
  }
}
