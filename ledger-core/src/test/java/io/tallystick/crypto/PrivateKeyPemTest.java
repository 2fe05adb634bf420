package io.tallystick.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
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

  /// As `openssl pkcs12` writes it, and with a comment of somebody's own.
  @Test
  void leavesTextAroundTheOneBlockOut() throws Exception {
    String key = BEGIN + "\nAAAA\n" + END + "\n";
    String bag = "Bag Attributes\n    localKeyID: 54 69 6D \nKey Attributes: <No Attributes>\n";
    assertThat(PrivateKeyPem.decode(ascii(bag + key))).isEqualTo(new byte[3]);
    assertThat(PrivateKeyPem.decode(ascii("# Ada's\n" + key + "# end\n"))).isEqualTo(new byte[3]);
  }

  @Test
  void refusesWhatIsNoPemWithoutShowingIt() {
    Map<String, String> refusals =
        Map.of(
            "",
            "no private key in PEM; tally keygen NEW.pem makes one",
            BEGIN,
            "no PEM block in it has both",
            "-----BEGIN PRIVATE KEY-----END PRIVATE KEY-----",
            "no PEM block in it has both",
            BEGIN + "\nAAAA\n",
            "no PEM block in it has both",
            "AAAA\n" + END,
            "no private key in PEM",
            BEGIN + "\nAAA$\n" + END,
            "the text of its PEM block is no base64",
            BEGIN + "\nAAA\u00e9\n" + END,
            "the text of its PEM block is no base64",
            "0\u0081\u0087\u0002\u0001",
            "a key in DER, not PEM; openssl pkey -inform DER",
            "0.\u0002\u0001",
            "a key in DER, not PEM");
    refusals.forEach((text, refusal) -> refused(text, refusal));
  }

  private static void refused(String text, String refusal) {
    assertThatThrownBy(() -> PrivateKeyPem.decode(ascii(text)))
        .as(text)
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining(refusal)
        .hasMessageNotContaining("AAA");
  }

  private static String block(String label, String hex) {
    String base64 = Base64.getEncoder().encodeToString(HexFormat.of().parseHex(hex));
    return "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
  }

  /// The beginnings of keys as openssl makes them.
  @Test
  void tellsWhatAForeignKeyIsAndHowItIsConverted() {
    String unusable = ", which cannot be used here: only Ed25519 and P-256 can; tally keygen NEW";
    String p256 = block("EC PARAMETERS", "06082a8648ce3d030107");
    String sec1 = "30770201010420" + "11".repeat(32) + "a00a06082a8648ce3d030107";
    String convert = "; openssl pkey -in OLD.pem -out NEW.pem converts it";
    refused(p256 + block("EC PRIVATE KEY", sec1), "an EC key in SEC1" + convert);
    refused(
        block("EC PRIVATE KEY", "3081a4020101043000".repeat(3) + "a00706052b81040022"),
        "a key on the curve P-384" + unusable);
    refused(
        """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-256-CBC,00

        AAAA
        -----END EC PRIVATE KEY-----
        """,
        "an EC key in SEC1" + convert);
    refused(block("ENCRYPTED PRIVATE KEY", "3082"), "an encrypted key" + convert);
    refused(block("RSA PRIVATE KEY", "3082"), "an RSA key" + unusable);
    refused(
        block("PRIVATE KEY", "308204be020100300d06092a864886f70d0101010500"),
        "an RSA key" + unusable);
    refused(
        block("PRIVATE KEY", "3081b6020100301006072a8648ce3d020106052b81040022"),
        "a key on the curve P-384" + unusable);
    refused(block("OPENSSH PRIVATE KEY", "6f70"), "a key of OpenSSH" + unusable);
    refused(block("PUBLIC KEY", "302a"), "a PEM block PUBLIC KEY, no private key");
    refused(
        block("CERTIFICATE", "3082") + block("PRIVATE KEY", "302e"),
        "it has 2 blocks, CERTIFICATE, PRIVATE KEY; a key's file has its block alone");
  }

  @Test
  void ofTlsKeysOnlyTheFormIsLookedAt() throws Exception {
    PrivateKeyPem.checkPkcs8(ascii(block("CERTIFICATE", "30") + block("PRIVATE KEY", "3082")));
    assertThatThrownBy(() -> PrivateKeyPem.checkPkcs8(ascii(block("RSA PRIVATE KEY", "3082"))))
        .hasMessage(
            "a PEM block RSA PRIVATE KEY, not PKCS#8 unencrypted; openssl pkey -in OLD.pem -out"
                + " NEW.pem converts it");
  }
}
