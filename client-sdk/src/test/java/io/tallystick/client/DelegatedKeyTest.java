package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.DelegatedSigner;
import io.tallystick.crypto.PublicKey;
import io.tallystick.testkit.Fixtures;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a key file may name a key that something else holds. Method: files and a holder of its
/// own; SoftHSM is in `conformance/python/check_hsm.py`.
class DelegatedKeyTest {
  @TempDir private Path folder = Path.of("");

  private Path keyFile(String content) throws IOException {
    Path file = Files.writeString(folder.resolve("agent.key"), content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  @Test
  void aFileWithAUriIsOpenedByTheScheme() throws Exception {
    Path file = keyFile("kms-of-nobody:alice\n");
    assertThatThrownBy(() -> ClientKey.load(file))
        .isInstanceOf(IOException.class)
        .hasMessage("keys of scheme kms-of-nobody are not known here, only: pkcs11");
    Path pkcs11 = keyFile("pkcs11:object=a?pin-source=/p\n");
    assertThatThrownBy(() -> ClientKey.load(pkcs11)).hasMessage("attribute missing: module-path");
    Path neither = keyFile("kms alice");
    assertThatThrownBy(() -> ClientKey.load(neither)).hasMessageContaining("no private key in PEM");
  }

  @Test
  void aUriIsWrittenOnceAndForTheOwnerAlone() throws Exception {
    Path file = folder.resolve("agent.key");
    ClientKey.saveUri(file, "pkcs11:object=a");
    assertThat(file).hasContent("pkcs11:object=a");
    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThatThrownBy(() -> ClientKey.saveUri(file, "pkcs11:object=b"))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void aKeyHeldElsewhereSignsAndIsNeverWritten() {
    ClientKey key =
        ClientKey.of(
            new DelegatedSigner() {
              @Override
              public String holder() {
                return "a test";
              }

              @Override
              public PublicKey publicKey() {
                return Fixtures.BOB.publicKey();
              }

              @Override
              public byte[] sign(byte[] message) {
                return Fixtures.BOB.sign(message);
              }
            });
    assertThat(key.signer().sign(new byte[] {1})).hasSize(64);
    Path file = folder.resolve("stolen.pem");
    assertThatThrownBy(() -> key.save(file)).isInstanceOf(IllegalStateException.class);
    assertThat(file).doesNotExist();
  }
}
