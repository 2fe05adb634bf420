package io.tallystick.client.trust;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.client.failure.TrustStoreException;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.fuzz.Edits;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.nio.file.Path;
import java.util.List;

/// Goal: whatever becomes of the stored head, only one that the service signed is read back.
/// Method: Jazzer; `docs/testing.md`.
class StoredHeadFuzzTest extends FuzzContract {
  private static final ReferenceLedger LOG = ReferenceLedger.sample();
  private static final List<Integer> SIZES = List.of(7, 12);
  private static final Signatures SIGNATURES = SignatureProviders.best();
  private static final ServiceTrust TRUST = trust();
  private static final Edits HEADS =
      new Edits(
          List.of(
              List.of(LOG.checkpoint(7)),
              List.of(LOG.checkpoint(12)),
              List.of(statement(7)),
              List.of(statement(12))));

  private static Bytes statement(int size) {
    return LOG.headSignature(size).statement(LOG.rootAt(size)).encode();
  }

  private static ServiceTrust trust() {
    try {
      return ServiceTrust.of(
          LOG.strand().ledger(), Fixtures.ledger().params().encode(), SIGNATURES);
    } catch (ProofRejectedException e) {
      throw new AssertionError(e);
    }
  }

  @FuzzTest
  void head(byte[] program) {
    attempt(
        () -> {
          Bytes stored = HEADS.apply(program).getFirst();
          SignedHead head = StoredHead.verify(Path.of("head-0"), stored, TRUST, SIGNATURES);
          int size = Math.toIntExact(head.size().value());
          if (!SIZES.contains(size) || !head.root().equals(LOG.rootAt(size))) {
            throw new AssertionError("nobody signed " + head);
          }
        },
        TrustStoreException.class);
  }
}
