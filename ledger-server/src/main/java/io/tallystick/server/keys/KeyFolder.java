package io.tallystick.server.keys;

import io.tallystick.crypto.PrivateKeyPem;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.ExportableSigner;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.durable.PrivateFile;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// A folder with one pair of keys: `note.pem` and `receipt.pem`, PKCS#8, mode 0600.
final class KeyFolder {
  static final String NOTE = "note.pem";
  static final String RECEIPT = "receipt.pem";
  private static final long PEM_BYTES_MAX = 4096;

  private final Path directory;
  private final Signatures signatures;

  KeyFolder(Path directory, Signatures signatures) {
    this.directory = directory;
    this.signatures = signatures;
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

  /// A pair that somebody else put here, or is to put here.
  ///
  /// @throws ServiceKeysException if a key is missing, saying how one is made
  ServicePair loadGiven() throws IOException, ServiceKeysException {
    for (String name : new String[] {NOTE, RECEIPT}) {
      if (!Files.exists(directory.resolve(name))) {
        throw new ServiceKeysException(
            String.format(
                Locale.ROOT,
                "%s is missing; keys in this folder are given and a service makes none there: tally keys new --keys %s makes a pair",
                directory.resolve(name),
                directory));
      }
    }
    Signer note = load(NOTE);
    Signer receipt = load(RECEIPT);
    if (note.publicKey().equals(receipt.publicKey())) {
      throw new ServiceKeysException(
          String.format(Locale.ROOT, "%s and %s of %s are the same key", NOTE, RECEIPT, directory));
    }
    return new ServicePair(note, receipt);
  }

  /// @return to be wiped by the caller
  static byte[] pem(ExportableSigner signer) {
    byte[] pkcs8 = signer.exportPkcs8();
    try {
      return PrivateKeyPem.encode(pkcs8);
    } finally {
      Arrays.fill(pkcs8, (byte) 0);
    }
  }

  /// Written aside and renamed, so that a cut-short start leaves no half key.
  void write(String name, ExportableSigner signer) throws IOException {
    byte[] pem = pem(signer);
    try {
      PrivateFile.replace(directory.resolve(name), pem);
    } finally {
      Arrays.fill(pem, (byte) 0);
    }
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
          String.format(
              Locale.ROOT,
              "%s holds key %s, this service's is %s; restore it from your copy of the keys",
              directory.resolve(name),
              signer.publicKey().kid(),
              kid));
    }
    return signer;
  }

  Signer load(String name) throws IOException, ServiceKeysException {
    Path file = directory.resolve(name);
    if (!Files.exists(file)) {
      throw new ServiceKeysException(
          file + " is missing and is never made anew; restore it from your copy of the keys");
    }
    Optional<String> open = PrivateFile.openToOthers(file);
    if (open.isPresent()) {
      throw new ServiceKeysException(open.get());
    }
    if (Files.size(file) > PEM_BYTES_MAX) {
      throw new ServiceKeysException(file + " is too large to be a key");
    }
    byte[] pem = Files.readAllBytes(file);
    byte[] pkcs8 = {};
    try {
      pkcs8 = PrivateKeyPem.decode(pem);
      return signatures.importPkcs8(pkcs8);
    } catch (MalformedException e) {
      throw new ServiceKeysException(file + ": " + e.getMessage(), e);
    } finally {
      Arrays.fill(pem, (byte) 0);
      Arrays.fill(pkcs8, (byte) 0);
    }
  }
}
