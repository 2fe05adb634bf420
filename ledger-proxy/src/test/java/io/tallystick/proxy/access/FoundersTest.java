package io.tallystick.proxy.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.testkit.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: whom the operator's list does not name founds nothing, and a change of the list counts at
/// once. Method: lists in a file, genesis of Alice and Bob.
class FoundersTest {
  private static final String AUTHORITY = "ledger.example.com";
  private static final String TYP = "tallystick-invitation+jwt";
  private static final long DAY_SECONDS = 86_400;

  @TempDir private Path home;
  private long nowMs = System.currentTimeMillis();
  private final Signatures signatures = SignatureProviders.best();
  private final Signer inviter = signatures.generate(SignatureAlgorithm.ED25519);
  private final Signer stranger = signatures.generate(SignatureAlgorithm.ED25519);
  private final GenesisParams params = Fixtures.ledger(System.currentTimeMillis()).params();

  private Founders listed(String... lines) throws IOException {
    return Founders.listedIn(write(lines), signatures, AUTHORITY, () -> nowMs);
  }

  /// As editors and mounts do it: another file takes the name.
  private Path write(String... lines) throws IOException {
    Path fresh = Files.writeString(home.resolve("fresh"), String.join("\n", lines));
    return Files.move(fresh, home.resolve("founders.txt"), StandardCopyOption.REPLACE_EXISTING);
  }

  private void allowed(Founders founders, @Nullable String invitation) throws Exception {
    founders.ruleFor(invitation).check(params);
  }

  private void refused(Founders founders, @Nullable String invitation, RejectionCode code) {
    assertThatThrownBy(() -> allowed(founders, invitation))
        .isInstanceOfSatisfying(
            RequestRejectedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private static String founder(Signer key) {
    return "founder " + key.publicKey().kid().hex();
  }

  private static String inviter(Signer key) {
    return "inviter " + key.publicKey().spki().hex();
  }

  private static String invitation(
      Signer by, String typ, String audience, Signer founder, long seconds) {
    long expires = System.currentTimeMillis() / 1000 + seconds;
    return Jwt.signed(
        by,
        Jwt.header("EdDSA", typ, by),
        String.format(
            Locale.ROOT,
            "{\"aud\":\"%s\",\"sub\":\"%s\",\"exp\":%d}",
            audience,
            founder.publicKey().kid().hex(),
            expires));
  }

  @Test
  void oneOwnerOnTheListIsEnough() throws Exception {
    allowed(listed("# ours", "", founder(Fixtures.BOB) + "  Bob of accounting"), null);
    refused(listed(founder(stranger)), null, RejectionCode.FOUNDING_NOT_ALLOWED);
    refused(listed(""), null, RejectionCode.FOUNDING_NOT_ALLOWED);
    refused(Founders.noOne(), null, RejectionCode.FOUNDING_NOT_ALLOWED);
    allowed(Founders.anyone(), null);
  }

  /// It would be waited for without end.
  @Test
  void aPipeIsNoList() throws Exception {
    Path pipe = home.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertThatThrownBy(() -> Founders.listedIn(pipe, signatures, AUTHORITY, () -> nowMs))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is no plain file");
  }

  @Test
  void anInvitationIsForOneKeyOneServiceAndATime() throws Exception {
    Founders founders = listed(inviter(inviter));
    allowed(founders, invitation(inviter, TYP, AUTHORITY, Fixtures.ALICE, DAY_SECONDS));
    refused(founders, null, RejectionCode.FOUNDING_NOT_ALLOWED);
    refused(
        founders,
        invitation(inviter, TYP, AUTHORITY, stranger, DAY_SECONDS),
        RejectionCode.FOUNDING_NOT_ALLOWED);
    refused(
        founders,
        invitation(inviter, TYP, "other.example.com", Fixtures.ALICE, DAY_SECONDS),
        RejectionCode.TOKEN_INVALID);
    refused(
        founders,
        invitation(inviter, "tallystick-read+jwt", AUTHORITY, Fixtures.ALICE, 60),
        RejectionCode.TOKEN_INVALID);
    for (long seconds : new long[] {-1, 31 * DAY_SECONDS}) {
      refused(
          founders,
          invitation(inviter, TYP, AUTHORITY, Fixtures.ALICE, seconds),
          RejectionCode.TOKEN_INVALID);
    }
    refused(
        founders,
        invitation(stranger, TYP, AUTHORITY, Fixtures.ALICE, DAY_SECONDS),
        RejectionCode.TOKEN_INVALID);
    // To be a founder does not let one invite.
    refused(
        listed(founder(stranger)),
        invitation(stranger, TYP, AUTHORITY, Fixtures.ALICE, DAY_SECONDS),
        RejectionCode.TOKEN_INVALID);
    refused(founders, "x".repeat(5000), RejectionCode.TOKEN_INVALID);
  }

  @Test
  void anInvitationExpiresByTheServicesTime() throws Exception {
    Founders founders = listed(inviter(inviter));
    String invitation = invitation(inviter, TYP, AUTHORITY, Fixtures.ALICE, DAY_SECONDS);
    allowed(founders, invitation);
    nowMs += 2 * DAY_SECONDS * 1000;
    refused(founders, invitation, RejectionCode.TOKEN_INVALID);
  }

  @Test
  void aChangedListCountsAtOnceAndABrokenOneDoesNot() throws Exception {
    Founders founders = listed(inviter(inviter));
    String invitation = invitation(inviter, TYP, AUTHORITY, Fixtures.ALICE, DAY_SECONDS);
    allowed(founders, invitation);
    write(founder(stranger));
    refused(founders, invitation, RejectionCode.TOKEN_INVALID);
    write(founder(Fixtures.ALICE));
    allowed(founders, null);
    write("founder nobody");
    allowed(founders, null);
    Files.delete(home.resolve("founders.txt"));
    allowed(founders, null);
  }

  @Test
  void aListThatIsNoneIsToldByItsLineAtTheStart() {
    assertThatThrownBy(() -> listed("# first", "founder abcd"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("founders.txt line 2: kid of 4 hex digits, want 64");
    assertThatThrownBy(() -> listed("anyone")).hasMessageContaining("line 1 is neither");
    assertThatThrownBy(() -> listed("inviter " + "00".repeat(44)))
        .hasMessageContaining("line 1: SPKI");
    assertThatThrownBy(() -> listed("inviter 123")).hasMessageContaining("line 1: ");
    assertThatThrownBy(
            () -> Founders.listedIn(home.resolve("none"), signatures, AUTHORITY, () -> nowMs))
        .isInstanceOf(IOException.class);
  }
}
