package io.tallystick.server.keys;

import io.tallystick.crypto.PrivateKeyPem;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.ExportableSigner;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;

/// A folder with one pair of keys: `note.pem` and `receipt.pem`, PKCS#8, mode 0600.
final class KeyFolder {
  static final String NOTE = "note.pem";
  static final String RECEIPT = "receipt.pem";
  private static final long PEM_BYTES_MAX = 4096;
  private static final Set<PosixFilePermission> OTHERS =
      Set.of(
          PosixFilePermission.GROUP_READ,
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

  private final Path directory;
  private final Signatures signatures;

  KeyFolder(Path directory, Signatures signatures) {
    this.directory = directory;
    this.signatures = signatures;
  }

  /// Makes the folder, with mode 0700, if it is not there.
  static void create(Path directory) throws IOException {
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  /// The names in a folder are on the disk when this returns.
  static void force(Path directory) throws IOException {
    try (FileChannel entries = FileChannel.open(directory, StandardOpenOption.READ)) {
      entries.force(true);
    }
  }

  Signer createOrLoad(String name) throws IOException, ServiceKeysException {
    Path file = directory.resolve(name);
    if (Files.exists(file) && Files.size(file) > 0) {
      return load(name);
    }
    ExportableSigner signer = signatures.generate(SignatureAlgorithm.ED25519);
    write(name, signer);
    return signer;
  }

  /// Written aside and renamed, so that a cut-short start leaves no half key.
  void write(String name, ExportableSigner signer) throws IOException {
    byte[] pkcs8 = signer.exportPkcs8();
    byte[] pem = PrivateKeyPem.encode(pkcs8);
    Arrays.fill(pkcs8, (byte) 0);
    try {
      writeWhole(directory.resolve(name), pem);
    } finally {
      Arrays.fill(pem, (byte) 0);
    }
  }

  private void writeWhole(Path file, byte[] content) throws IOException {
    Path aside = directory.resolve(file.getFileName() + ".new");
    Files.deleteIfExists(aside);
    try (FileChannel out =
        FileChannel.open(
            aside,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
  }

  ServicePair load(Digest noteKid, Digest receiptKid) throws IOException, ServiceKeysException {
    return new ServicePair(load(NOTE, noteKid), load(RECEIPT, receiptKid));
  }

  /// The key of this kid.
  ///
  /// @throws ServiceKeysException if the file holds another
  Signer load(String name, Digest kid) throws IOException, ServiceKeysException {
    Signer signer = load(name);
    if (!signer.publicKey().kid().equals(kid)) {
      throw new ServiceKeysException(
          "%s holds key %s, this service's is %s; restore it from a backup"
              .formatted(directory.resolve(name), signer.publicKey().kid(), kid));
    }
    return signer;
  }

  Signer load(String name) throws IOException, ServiceKeysException {
    Path file = directory.resolve(name);
    if (!Files.exists(file)) {
      throw new ServiceKeysException(
          file + " is missing and is never made anew; restore it from a backup");
    }
    refuseIfOpenToOthers(file);
    if (Files.size(file) > PEM_BYTES_MAX) {
      throw new ServiceKeysException(file + " is too large to be a key");
    }
    byte[] pem = Files.readAllBytes(file);
    byte[] pkcs8 = {};
    try {
      pkcs8 = PrivateKeyPem.decode(pem);
      return signatures.importPkcs8(pkcs8);
    } catch (MalformedException e) {
      throw new ServiceKeysException(file + " does not hold a private key: " + e.getMessage(), e);
    } finally {
      Arrays.fill(pem, (byte) 0);
      Arrays.fill(pkcs8, (byte) 0);
    }
  }

  private static void refuseIfOpenToOthers(Path file) throws IOException, ServiceKeysException {
    if (!Files.getFileStore(file).supportsFileAttributeView("posix")) {
      return;
    }
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
    if (permissions.stream().anyMatch(OTHERS::contains)) {
      throw new ServiceKeysException(
          "private key %s is open to others (%s); make it 0600, and think about who may have read it"
              .formatted(file, PosixFilePermissions.toString(permissions)));
    }
  }
}
