package io.tallystick.server.keys;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;

/// Goal: no key file and no recorded identity opens a service but the recorded one. Method: Jazzer;
/// `docs/testing.md`.
class KeyStoreFuzzTest extends FuzzContract {
  private static final Authority LOCALHOST = new Authority("localhost");
  private static final byte[] NOTE = pem(Fixtures.NOTE.exportPkcs8());
  private static final byte[] RECEIPT = pem(Fixtures.RECEIPT.exportPkcs8());
  private static final String NEXT = Fixtures.NEXT_RECEIPT.publicKey().kid().hex();
  private static final Path KEYS = directory();

  private static byte[] pem(byte[] pkcs8) {
    String base64 = Base64.getEncoder().encodeToString(pkcs8);
    return ("-----BEGIN PRIVATE KEY-----\n" + base64 + "\n-----END PRIVATE KEY-----\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static Path directory() {
    try {
      Path directory = Files.createTempDirectory("tallystick-keys");
      Path next = Files.createDirectory(directory.resolve(NEXT));
      KeyFile.write(next.resolve("note.pem"), pem(Fixtures.NEXT_NOTE.exportPkcs8()));
      KeyFile.write(next.resolve("receipt.pem"), pem(Fixtures.NEXT_RECEIPT.exportPkcs8()));
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
      return directory;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void delete(Path directory) {
    try {
      Files.deleteIfExists(directory.resolve("note.pem"));
      Files.deleteIfExists(directory.resolve("receipt.pem"));
      Path next = directory.resolve(NEXT);
      Files.deleteIfExists(next.resolve("note.pem"));
      Files.deleteIfExists(next.resolve("receipt.pem"));
      Files.deleteIfExists(next);
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  protected long allocatedBytesMax() {
    return 1L << 20; // up to four keys are made ready
  }

  @FuzzTest
  void identity(byte[] input) {
    attempt(() -> open(NOTE, Bytes.copyOf(input)), ServiceKeysException.class);
  }

  @FuzzTest
  void keyFile(byte[] input) {
    attempt(() -> open(input, identity()), ServiceKeysException.class);
  }

  @FuzzTest
  void furtherPair(byte[] input) {
    attempt(() -> open(NOTE, identity(), Bytes.copyOf(input)), ServiceKeysException.class);
  }

  private static Bytes identity() {
    return new CborWriter()
        .array(4)
        .uint(1)
        .text(LOCALHOST.value())
        .digest(Fixtures.NOTE.publicKey().kid())
        .digest(Fixtures.RECEIPT.publicKey().kid())
        .toBytes();
  }

  private static void open(byte[] noteFile, Bytes identity, Bytes... furtherPair) throws Exception {
    KeyFile.write(KEYS.resolve("note.pem"), noteFile);
    KeyFile.write(KEYS.resolve("receipt.pem"), RECEIPT);
    InMemoryMetaStore meta = new InMemoryMetaStore();
    meta.write(new MetaBatch().put(Bytes.utf8("i"), identity));
    for (Bytes pair : furtherPair) {
      meta.write(new MetaBatch().put(Bytes.fromHex("6900000001"), pair));
    }
    var opened = new ServiceKeyStore(KEYS, meta, SignatureProviders.best()).open(LOCALHOST);
    if (furtherPair.length > 0) {
      if (!opened.identity().receiptKey().equals(Fixtures.NEXT_RECEIPT.publicKey())) {
        throw new AssertionError("opened with another further pair");
      }
      return;
    }
    if (!opened.identity().noteKey().equals(Fixtures.NOTE.publicKey())
        || !opened.identity().receiptKey().equals(Fixtures.RECEIPT.publicKey())) {
      throw new AssertionError("opened with other keys");
    }
  }
}
