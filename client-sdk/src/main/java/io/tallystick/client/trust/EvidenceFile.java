package io.tallystick.client.trust;

import io.tallystick.client.failure.TrustStoreException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.failure.VerificationException.Contradiction;
import io.tallystick.head.ForkException;
import io.tallystick.head.HeadEvidence;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// Writes down two signed heads that do not go together, so that somebody else can convict the
/// service of them: JSON, all bytes in hex, and with the genesis parameters, whose hash is the
/// ledgerId and which name the first keys, and the key chain. Layout: `docs/sdk.md`.
final class EvidenceFile {
  private final TrustFolder folder;
  private final Supplier<ServiceTrust> keys;

  /// @param keys known when a file is written
  EvidenceFile(TrustFolder folder, Supplier<ServiceTrust> keys) {
    this.folder = folder;
    this.keys = keys;
  }

  /// The name is made of the two statements: the same contradiction met again is the same file.
  VerificationException write(ForkException fork) {
    Bytes content = Bytes.utf8(json(fork));
    try {
      Path file = folder.saveEvidence(name(fork), content);
      return new VerificationException(
          fork, new Contradiction(fork.trusted(), fork.offered(), Optional.of(file)));
    } catch (TrustStoreException e) {
      // The alarm matters more than its file.
      VerificationException alarm =
          new VerificationException(
              fork, new Contradiction(fork.trusted(), fork.offered(), Optional.empty()));
      alarm.addSuppressed(e);
      return alarm;
    }
  }

  private static String name(ForkException fork) {
    return String.format(
        Locale.ROOT,
        "evidence-%s-%s-%s.json",
        fork.trusted().size(),
        fork.offered().size(),
        fork.offered().root().digest().hex().substring(0, 16));
  }

  private String json(ForkException fork) {
    ServiceTrust trust = keys.get();
    String chain =
        trust.rotations() == 0
            ? ""
            : String.format(Locale.ROOT, "\n  \"keyChain\": \"%s\",", hex(trust.chain().encode()));
    return String.format(
        Locale.ROOT,
        """
        {
          "reason": "%s",
          "ledgerId": "%s",
          "strand": %d,
          "genesisParams": "%s",%s
          "trusted": %s,
          "offered": %s%s
        }
        """,
        fork.reason(),
        trust.ledger(),
        trust.strand().strand(),
        trust.genesisBytes().hex(),
        chain,
        statement(fork.trusted()),
        statement(fork.offered()),
        fork.proof().map(EvidenceFile::proof).orElse(""));
  }

  private static String statement(SignedHead head) {
    String form =
        switch (head.evidence()) {
          case HeadEvidence.CheckpointNote unused -> "checkpoint";
          case HeadEvidence.ReceiptStatement unused -> "receipt";
        };
    return String.format(
        Locale.ROOT,
        "{\"form\": \"%s\", \"size\": %s, \"root\": \"%s\", \"signed\": \"%s\"}",
        form,
        head.size(),
        head.root(),
        hex(head.evidence().encoded()));
  }

  private static String proof(ConsistencyProof proof) {
    return String.format(
        Locale.ROOT,
        ",\n  \"consistencyProof\": {\"from\": %d, \"to\": %d, \"path\": [%s]}",
        proof.from(),
        proof.to(),
        hashes(proof.path()));
  }

  private static String hashes(List<Digest> path) {
    return path.stream().map(hash -> '"' + hash.hex() + '"').collect(Collectors.joining(", "));
  }

  private static String hex(Bytes bytes) {
    return bytes.hex();
  }
}
