package io.tallystick.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.MalformedException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// Goal: what was written is read back, in the text that other tools write; anything else is
/// refused and not shown. Method: texts by hand.
class PrivateKeyPemTest {
  private static final byte[] KEY = new byte[100];
  private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
  private static final String END = "-----END PRIVATE KEY-----";

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void writesLinesOf64CharactersAndReadsThemBack() throws Exception {
    byte[] pem = PrivateKeyPem.encode(KEY);
    String first = "A".repeat(64);
    String rest = "A".repeat(64) + "\n" + "A".repeat(6) + "==";
    assertThat(new String(pem, StandardCharsets.US_ASCII))
        .isEqualTo(BEGIN + "\n" + first + "\n" + rest + "\n" + END + "\n");
    assertThat(PrivateKeyPem.decode(pem)).isEqualTo(KEY);
  }

  @Test
  void readsOtherLineEndingsAndSpaceAround() throws Exception {
    byte[] pem = ascii("\r\n " + BEGIN + "\r\nAAAA\r\n" + END + "\r\n\n");
    assertThat(PrivateKeyPem.decode(pem)).isEqualTo(new byte[3]);
  }

  @Test
  void refusesWhatIsNoPemWithoutShowingIt() {
    for (String text :
        new String[] {
          "",
          BEGIN,
          "-----BEGIN PRIVATE KEY-----END PRIVATE KEY-----",
          BEGIN + "\nAAAA\n",
          "AAAA\n" + END,
          BEGIN + "\nAAA$\n" + END,
          BEGIN + "\nAAA\u00e9\n" + END,
          BEGIN.replace("PRIVATE", "ENCRYPTED PRIVATE") + "\nAAAA\n" + END,
        }) {
      assertThatThrownBy(() -> PrivateKeyPem.decode(ascii(text)))
          .as(text)
          .isInstanceOf(MalformedException.class)
          .hasMessage("no unencrypted PKCS#8 PEM private key");
    }
  }
}
