package io.tallystick.client;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// Goal: no file makes loading a key do anything but give a key that signs or refuse. Method:
/// Jazzer; `docs/testing.md`.
class KeyFileFuzzTest extends FuzzContract {
  private static final Path FILE = file();

  private static Path file() {
    try {
      Path file =
          Files.createTempFile(
              "tallystick-key",
              ".pem",
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @FuzzTest
  void keyFile(byte[] input) {
    attempt(
        () -> {
          Files.write(FILE, input);
          ClientKey key = ClientKey.load(FILE);
          if (key.publicKey().equals(Fixtures.RECEIPT.publicKey())) {
            throw new AssertionError("a key that was not in the file");
          }
        },
        IOException.class);
  }
}
