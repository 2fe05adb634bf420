package io.tallystick.server.keys;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.PrivateKeyPem;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.ExportableSigner;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
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

/// The service's note key and receipt key: `keys/note.pem` and `keys/receipt.pem` under the data
/// directory, PKCS#8, mode 0600. They are created once, before the first ledger, and never again:
/// with other keys every ledger here would be orphaned, so a missing or different key is an error
/// that an operator must mend from a backup. Authority and kids are kept in the meta store: `"i" →
/// [1, authority, note kid, receipt kid]`.
public final class ServiceKeyStore {
  private static final Bytes IDENTITY = Bytes.utf8("i");
  private static final int VERSION = 1;
  private static final long PEM_BYTES_MAX = 4096;
  private static final Set<PosixFilePermission> OTHERS =
      Set.of(
          PosixFilePermission.GROUP_READ,
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

  private final Path directory;
  private final MetaStore meta;
  private final Signatures signatures;

  /// @param directory for the key files; created with mode 0700
  public ServiceKeyStore(Path directory, MetaStore meta, Signatures signatures) {
    this.directory = directory;
    this.meta = meta;
    this.signatures = signatures;
  }

  /// Opens the keys, creating them on the very first start.
  ///
  /// @param authority written on the first start; later starts keep the recorded one
  /// @throws ServiceKeysException if keys are missing, unreadable, open to others or not the
  ///   recorded ones
  public HeadSigner open(Authority authority) throws IOException, ServiceKeysException {
    Bytes recorded = meta.get(IDENTITY);
    if (recorded == null) {
      return create(authority);
    }
    Identity identity = decode(recorded);
    return new HeadSigner(
        identity.authority,
        load("note.pem", identity.noteKid),
        load("receipt.pem", identity.receiptKid));
  }

  private record Identity(Authority authority, Digest noteKid, Digest receiptKid) {}

  private HeadSigner create(Authority authority) throws IOException, ServiceKeysException {
    if (meta.get(SavepointRow.KEY) != null) {
      throw new ServiceKeysException(
          "the meta store holds ledgers but no service identity; restore it from a backup");
    }
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Signer note = createOrLoad("note.pem");
    Signer receipt = createOrLoad("receipt.pem");
    try (FileChannel entries = FileChannel.open(directory, StandardOpenOption.READ)) {
      entries.force(true);
    }
    CborWriter row = new CborWriter();
    row.array(4).uint(VERSION).text(authority.value());
    row.digest(note.publicKey().kid()).digest(receipt.publicKey().kid());
    meta.write(new MetaBatch().put(IDENTITY, row.toBytes()));
    return new HeadSigner(authority, note, receipt);
  }

  /// A key file without an identity row is from a first start that was cut short: nothing was
  /// signed with it, and nothing is lost by taking it.
  private Signer createOrLoad(String name) throws IOException, ServiceKeysException {
    Path file = directory.resolve(name);
    if (Files.exists(file) && Files.size(file) > 0) {
      return load(name);
    }
    ExportableSigner signer = signatures.generate(SignatureAlgorithm.ED25519);
    byte[] pkcs8 = signer.exportPkcs8();
    byte[] pem = PrivateKeyPem.encode(pkcs8);
    Arrays.fill(pkcs8, (byte) 0);
    try {
      writeWhole(file, pem);
    } finally {
      Arrays.fill(pem, (byte) 0);
    }
    return signer;
  }

  /// Written aside and renamed, so that a cut-short start leaves no half key.
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

  private Signer load(String name, Digest kid) throws IOException, ServiceKeysException {
    Signer signer = load(name);
    if (!signer.publicKey().kid().equals(kid)) {
      throw new ServiceKeysException(
          "%s holds key %s, this service's is %s; restore it from a backup"
              .formatted(directory.resolve(name), signer.publicKey().kid(), kid));
    }
    return signer;
  }

  private Signer load(String name) throws IOException, ServiceKeysException {
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

  private static Identity decode(Bytes row) throws ServiceKeysException {
    try {
      CborReader in = new CborReader(row);
      in.array("identity", 4);
      long version = in.uint();
      if (version != VERSION) {
        throw new MalformedException("version " + version + ", want " + VERSION);
      }
      Identity identity = new Identity(new Authority(in.text()), in.digest(), in.digest());
      in.end();
      return identity;
    } catch (MalformedException | IllegalArgumentException e) {
      throw new ServiceKeysException(
          "the recorded service identity is damaged: " + e.getMessage(), e);
    }
  }
}
