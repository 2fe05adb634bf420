package io.tallystick.proxy.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.GpuMode;
import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.Member;
import io.tallystick.node.MemberToken;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.host.NodeSeams;
import io.tallystick.testkit.Fixtures;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a server takes a token for its signer's word exactly where a proxy would. Method: a node
/// with one ledger; tokens for it, for its service, for others, of others, and of another time.
class TokensOfMembersTest {
  private final Signatures signatures = SignatureProviders.best();
  private final TokensOfMembers tokens = new TokensOfMembers(signatures);
  private LocalNode host;
  private LedgerNode node;
  private LedgerId id;
  private long nowSeconds;

  @BeforeEach
  void found(@TempDir Path directory) throws Exception {
    host =
        LocalNode.open(
            directory,
            new Authority("ledger.example.com"),
            NodeSeams.production(GpuMode.OFF),
            signatures,
            new SimpleMeterRegistry());
    node = host.node();
    ServiceIdentity identity = node.identity();
    Fixtures ledger =
        Fixtures.ledger(
            node.timeMs(), identity.authority().value(), identity.noteKey(), identity.receiptKey());
    id = ledger.params().ledgerId();
    LedgerName name = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
    var _ =
        node.createLedger(
            FoundingVerifier.verify(
                ledger.params().encode(), ledger.genesisAttestation().encode(), name, signatures));
    nowSeconds = node.timeMs() / 1000;
  }

  @AfterEach
  void close() throws Exception {
    host.close();
  }

  private Member signer(Signer key, String audience, long expiresSeconds)
      throws RequestRejectedException {
    return tokens.verify(
        node, id, new MemberToken(Jwt.read(key, audience, nowSeconds + expiresSeconds)));
  }

  private void refused(Signer key, String audience, long expiresSeconds) {
    RequestRejectedException e =
        catchThrowableOfType(
            RequestRejectedException.class, () -> signer(key, audience, expiresSeconds));
    assertThat(e.code()).isEqualTo(RejectionCode.TOKEN_INVALID);
  }

  @Test
  void aTokenIsForTheLedgerOrItsService() throws Exception {
    Digest alice = Fixtures.ALICE.publicKey().kid();
    assertThat(signer(Fixtures.ALICE, id.hex(), 60).key().kid()).isEqualTo(alice);
    assertThat(signer(Fixtures.ALICE, "ledger.example.com", 60).key().kid()).isEqualTo(alice);
    refused(Fixtures.ALICE, "ab".repeat(32), 60);
    refused(Fixtures.ALICE, "another.example.com", 60);
  }

  @Test
  void aStrangersAndAnExpiredOneAreNoMembersWord() {
    refused(Fixtures.CAROL, id.hex(), 60);
    refused(Fixtures.ALICE, id.hex(), -60);
    refused(Fixtures.ALICE, id.hex(), 3600);
  }

  /// A proxy refuses it where it comes in; who has a proxy's certificate need not.
  @Test
  void aLongTextIsNotLookedInto() throws Exception {
    String token = Jwt.read(Fixtures.ALICE, id.hex(), nowSeconds + 60);
    String dots = ".".repeat(Bearer.TOKEN_CHARS_MAX + 1 - token.length());
    RequestRejectedException e =
        catchThrowableOfType(
            RequestRejectedException.class,
            () -> {
              var _ = tokens.verify(node, id, new MemberToken(token + dots));
            });
    assertThat(e.code()).isEqualTo(RejectionCode.TOKEN_INVALID);
    assertThat(e).hasMessage("token of 4097 characters, at most 4096");
  }

  @Test
  void aLedgerThatIsNotHereHasNoMembers() {
    LedgerId elsewhere = LedgerId.fromHex("cd".repeat(32));
    RequestRejectedException e =
        catchThrowableOfType(
            RequestRejectedException.class,
            () -> {
              String token = Jwt.read(Fixtures.ALICE, elsewhere.hex(), nowSeconds + 60);
              var _ = tokens.verify(node, elsewhere, new MemberToken(token));
            });
    assertThat(e.code()).isEqualTo(RejectionCode.TOKEN_INVALID);
  }
}
