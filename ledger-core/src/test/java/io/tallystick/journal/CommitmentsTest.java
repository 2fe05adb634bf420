package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/// Goal: a commitment is the documented hash, whichever way it is computed. Method: hashes put
/// together by hand, and the ways beside each other. The golden vectors hold the bytes.
class CommitmentsTest {
  private static final Bytes SALT = Bytes.fromHex("a7".repeat(32));

  @Test
  void stretchesTheSaltByAllFourBytesOfTheIndex() throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SALT.toArray(), "HmacSHA256"));
    mac.update(Bytes.utf8("value").toArray());
    byte[] stretched = mac.doFinal(new byte[] {1, 2, 3, 4});
    byte[] domain = Bytes.utf8("tallystick/value/1\0").toArray();
    byte[] value = {5};
    assertThat(Commitments.value(SALT, 0x0102_0304, Bytes.wrap(value)))
        .isEqualTo(Sha256.hash(domain, stretched, value));
  }

  @Test
  void commitsToABodyAlikeInEveryWay() {
    Bytes body = Body.EMPTY.encode();
    Digest want = Commitments.body(SALT, body);
    assertThat(Body.EMPTY.commit(SALT)).isEqualTo(want);
    MessageDigest hasher = Sha256.newDigest();
    byte[] target = new byte[Digest.BYTES];
    Commitments.body(hasher, SALT, body, target);
    assertThat(Digest.of(target)).isEqualTo(want);
    byte[] both = Bytes.fromHex("ff" + SALT.hex() + body.hex() + "ff").toArray();
    byte[] again = new byte[Digest.BYTES];
    Commitments.body(hasher, both, 1, both.length - 2, again);
    assertThat(Digest.of(again)).isEqualTo(want);
  }
}
