package io.tallystick.crypto.provider.pkcs11;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a URI says exactly one key, and whatever it says wrong is named. Method: examples;
/// `conformance/python/check_hsm.py` opens keys of SoftHSM.
class Pkcs11UriTest {
  private static final String WHERE = "?module-path=/lib/p11.so&pin-source=file:/run/pin";

  @Test
  void readsTheFourAttributesInAnyOrder() throws Exception {
    Pkcs11Uri read =
        Pkcs11Uri.parse(
            "pkcs11:object=agent%20one+2;slot-id=7?pin-source=file:/run/pin&module-path=/lib/p11.so");
    assertThat(read)
        .isEqualTo(new Pkcs11Uri("agent one+2", 7L, Path.of("/lib/p11.so"), Path.of("/run/pin")));
    assertThat(Pkcs11Uri.parse("pkcs11:object=a" + WHERE).slotId()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "file:/key.pem | no pkcs11: URI",
        "pkcs11:?module-path=/lib/p11.so&pin-source=file:/p | attribute missing: object",
        "pkcs11:object=?module-path=/lib/p11.so&pin-source=file:/p | attribute missing: object",
        "pkcs11:object=a?pin-source=file:/p | attribute missing: module-path",
        "pkcs11:object=a?module-path=/lib/p11.so | attribute missing: pin-source",
        "pkcs11:object=a?module-path=p11.so&pin-source=file:/p | module-path is not absolute: p11.so",
        "pkcs11:object=a;object=b?module-path=/l&pin-source=/p | attribute given twice: object",
        "pkcs11:object?module-path=/l&pin-source=/p | attribute without a value: object",
        "pkcs11:object=a;token=t?module-path=/l&pin-source=/p | attribute not understood: token",
        "pkcs11:object=a;slot-id=x?module-path=/l&pin-source=/p | slot-id is no number: x",
        "pkcs11:object=a;slot-id=-1?module-path=/l&pin-source=/p | slot-id is no number: -1",
        "pkcs11:object=a%2?module-path=/l&pin-source=/p | not percent-encoded: a%2",
        "pkcs11:object=a?module-path=/l&pin-source=/p&pin-value=1 | pin-value is not taken",
      })
  void namesWhatIsWrong(String uri, String reason) {
    assertThatThrownBy(() -> Pkcs11Uri.parse(uri))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void whatIsNotThereIsNamedBeforeAnyModuleIsLoaded(@TempDir Path folder) throws Exception {
    Path module = Files.writeString(folder.resolve("p11.so"), "no library");
    Path pin = Files.writeString(folder.resolve("pin"), "1234\n");
    Pkcs11Signers signers = new Pkcs11Signers();
    assertThat(signers.scheme()).isEqualTo("pkcs11");
    String uri = "pkcs11:object=a?module-path=%s&pin-source=%s";
    assertThatThrownBy(
            () -> signers.open(String.format(Locale.ROOT, uri, folder.resolve("none.so"), pin)))
        .hasMessageContaining("no PKCS#11 module at");
    assertThatThrownBy(
            () -> signers.open(String.format(Locale.ROOT, uri, module, folder.resolve("none"))))
        .hasMessageContaining("no file with the PIN at");
    assertThatThrownBy(() -> signers.open(String.format(Locale.ROOT, uri, module, pin)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot be opened");
  }
}
