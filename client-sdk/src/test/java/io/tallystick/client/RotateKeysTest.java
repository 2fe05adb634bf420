package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestSigner;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a client takes a rotation for done only if its own signatures stand under it with the
/// service's alone, and the key chain shows it. Method: a fake service that shows other signatures,
/// or no chain.
class RotateKeysTest {
  private static final Extension.KeyRotation NEXT =
      new Extension.KeyRotation(Fixtures.NEXT_NOTE.publicKey(), Fixtures.NEXT_RECEIPT.publicKey());
  private static final SeededSigner STRANGER = SeededSigner.ed25519("stranger");

  @TempDir private Path trust;

  @Test
  void aRotationThatNoKeyChainShowsIsAnAlarm() throws Exception {
    try (ServiceFixture fixture = new ServiceFixture(trust)) {
      VerificationException alarm = ServiceFixture.refusal(() -> fixture.ledger.rotateKeys(NEXT));
      assertThat(alarm.reason()).isEqualTo(Reason.MISSING);
      assertThat(fixture.ledger.trust().keys().terms()).hasSize(1);
    }
  }

  @Test
  void aRotationWithoutOurSignatureIsAnAlarm() throws Exception {
    try (ServiceFixture fixture = new ServiceFixture(trust)) {
      fixture.service.entryTampering = entry -> signedBy(entry, strangers(fixture));
      VerificationException alarm = ServiceFixture.refusal(() -> fixture.ledger.rotateKeys(NEXT));
      assertThat(alarm.reason()).isEqualTo(Reason.COMMITMENT_MISMATCH);
    }
  }

  @Test
  void aRotationThatAStrangerSignedTooIsAnAlarm() throws Exception {
    try (ServiceFixture fixture = new ServiceFixture(trust)) {
      fixture.service.entryTampering =
          entry -> {
            List<CoseSign1> both = new ArrayList<>(signatures(entry));
            both.addAll(strangers(fixture));
            return signedBy(entry, both);
          };
      VerificationException alarm = ServiceFixture.refusal(() -> fixture.ledger.rotateKeys(NEXT));
      assertThat(alarm.reason()).isEqualTo(Reason.WRONG_KEY);
    }
  }

  private static List<CoseSign1> strangers(ServiceFixture fixture) {
    return RequestSigner.sign(fixture.remote().strand(), Digest.ZERO, List.of(STRANGER))
        .signatures();
  }

  private static List<CoseSign1> signatures(JournalEntry entry) {
    try {
      return Attestation.decode(Bytes.wrap(entry.getAttestation().toByteArray()), Kind.KEY_ROTATION)
          .signatures();
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private static JournalEntry signedBy(JournalEntry entry, List<CoseSign1> signatures) {
    List<CoseSign1> sorted =
        signatures.stream().sorted(Comparator.comparing(RotateKeysTest::kid)).toList();
    return entry.toBuilder()
        .setAttestation(ByteString.copyFrom(new Attestation(sorted).encode().toArray()))
        .build();
  }

  private static Digest kid(CoseSign1 signature) {
    try {
      return ProtectedHeader.kid(signature.protectedHeader());
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }
}
