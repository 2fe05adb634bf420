package io.tallystick.bench.removal;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/// A node in this process, on its own disk and clock, with a ledger whose owner is Alice and whose
/// regulator is Carol: what is measured is the node, and no transport.
final class RemovalNode implements AutoCloseable {
  private static final int PAYLOAD_BYTES = 256;
  private static final long POLL_NANOS = 50_000;

  private final Signatures signatures = SignatureProviders.best();
  private final SubmissionVerifier verifier =
      new SubmissionVerifier(signatures, Set.of(Feature.CLUE_TRIE));
  private final SplittableRandom random = new SplittableRandom();
  private final LocalNode host;
  private final Fixtures ledger;
  final LedgerNode node;

  RemovalNode(Path directory) throws Exception {
    host =
        LocalNode.open(
            directory, new Authority("localhost"), signatures, new SimpleMeterRegistry());
    node = host.node();
    ServiceIdentity service = node.identity();
    ledger =
        Fixtures.ledger(
                System.currentTimeMillis(), "localhost", service.noteKey(), service.receiptKey())
            .withOwners(List.of(Fixtures.ALICE.publicKey()))
            .withFeatures(Set.of(Feature.CLUE_TRIE));
    var _ =
        node.createLedger(
            FoundingVerifier.verify(
                ledger.params().encode(),
                ledger.genesisAttestation().encode(),
                new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME),
                signatures));
    var _ = append(ledger.memberAdd(Role.REGULATOR, Fixtures.CAROL.publicKey())).receipted().get();
  }

  StrandId strand() {
    return ledger.strand();
  }

  private Fixtures now() {
    return new Fixtures(ledger.params(), System.currentTimeMillis());
  }

  AppendTicket append(Submission submission) throws RequestRejectedException {
    return node.append(
        verifier.verify(
            strand(),
            submission.requests(),
            submission.attestation(),
            kid ->
                List.of(Fixtures.ALICE, Fixtures.CAROL).stream()
                    .map(SeededSigner::publicKey)
                    .filter(key -> key.kid().equals(kid))
                    .findFirst()));
  }

  /// Random journals of 256 B as a batch by Alice.
  Submission batch(int journals) {
    Fixtures dated = now();
    List<SignedRequest> requests = new ArrayList<>(journals);
    for (int i = 0; i < journals; i++) {
      requests.add(
          RequestDraft.append(
                  strand(),
                  random(PAYLOAD_BYTES),
                  "text/plain",
                  dated.timeMs(),
                  random(Limits.SALT_BYTES))
              .build());
    }
    return dated.submission(requests, Fixtures.ALICE);
  }

  private Bytes random(int bytes) {
    byte[] value = new byte[bytes];
    synchronized (random) {
      random.nextBytes(value);
    }
    return Bytes.wrap(value);
  }

  /// Bytes that a purge of it zeroes, at least: bodies, salts, headers, the attestation.
  static long erasableBytes(Submission submission) {
    long bytes = submission.attestation().size();
    for (SignedRequest each : submission.requests()) {
      bytes += each.sizeBytes();
    }
    return bytes;
  }

  Submission govern(Kind kind, Extension extension, SeededSigner... signers) {
    return now().govern(kind, extension, signers);
  }

  /// Purges all that is sealed now; it cannot be recalled.
  ///
  /// @return the purge's jsn, when it is durable
  long purge() throws Exception {
    long height = node.newestBlock(strand()).height();
    Snapshot snapshot =
        Snapshot.decode(node.purges().orElseThrow().prepare(strand(), height, List.of()));
    Extension.Purge named = new Extension.Purge(snapshot.firstKept(), height, snapshot.digest(), 0);
    return append(govern(Kind.PURGE, named, Fixtures.ALICE)).committed().get().firstJsn();
  }

  /// Waits until all that a removal names is erased and forced.
  ///
  /// @param gone a journal that it names
  void awaitErased(long gone, long removal) throws IOException {
    while (!isErased(gone, removal)) {
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private boolean isErased(long gone, long removal) {
    try {
      var erasure = node.erasure(strand(), gone);
      return erasure.removal() == removal && erasure.doneMs().isPresent();
    } catch (RequestRejectedException notSealedYet) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    host.close();
  }
}
