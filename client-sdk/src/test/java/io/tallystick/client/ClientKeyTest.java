package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.SignatureAlgorithm;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClientKeyTest {
  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(SignatureAlgorithm.class)
  void loadsWhatItSaved(SignatureAlgorithm algorithm) throws IOException {
    ClientKey key = ClientKey.generate(algorithm);
    Path file = directory.resolve("keys/member.pem");
    key.save(file);

    assertThat(ClientKey.load(file).publicKey()).isEqualTo(key.publicKey());
    assertThat(Files.readString(file)).startsWith("-----BEGIN PRIVATE KEY-----\n");
  }

  @Test
  void savesForItsOwnerOnly() throws IOException {
    Path file = directory.resolve("member.pem");
    ClientKey.generate().save(file);

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void neverOverwritesAKey() throws IOException {
    Path file = directory.resolve("member.pem");
    ClientKey first = ClientKey.generate();
    first.save(file);

    assertThatThrownBy(() -> ClientKey.generate().save(file))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(ClientKey.load(file).kid()).isEqualTo(first.kid());
  }

  @Test
  void refusesAKeyThatOthersCanRead() throws IOException {
    Path file = directory.resolve("member.pem");
    ClientKey.generate().save(file);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

    assertThatThrownBy(() -> ClientKey.load(file)).hasMessageContaining("open to others");
  }

  @Test
  void refusesWhatIsNoKey() throws IOException {
    Path file = directory.resolve("member.pem");
    Files.writeString(file, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));

    assertThatThrownBy(() -> ClientKey.load(file)).isInstanceOf(IOException.class);
  }

  @Test
  void showsNoSecret() {
    ClientKey key = ClientKey.generate();
    assertThat(key.toString()).isEqualTo("ClientKey[ED25519 " + key.kid() + "]");
  }
}
