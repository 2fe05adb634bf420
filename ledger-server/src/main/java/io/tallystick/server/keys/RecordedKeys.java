package io.tallystick.server.keys;

import io.tallystick.crypto.Signatures;
import io.tallystick.durable.PrivateFile;
import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.storage.meta.MetaStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// Which keys are a service's: their ids, never the keys.
///
/// @param pairs in the order they were recorded, at least one
public record RecordedKeys(Authority authority, List<Ids> pairs) {
  public RecordedKeys {
    pairs = List.copyOf(pairs);
    if (pairs.isEmpty()) {
      throw new IllegalArgumentException("a service has a pair of keys");
    }
  }

  /// The ids of a pair.
  public record Ids(Digest noteKid, Digest receiptKid) {}

  /// Reads the keys that a meta store has recorded.
  ///
  /// @throws ServiceKeysException if there is nothing, or it is damaged
  public static RecordedKeys of(MetaStore meta) throws IOException, ServiceKeysException {
    PairRows.Identity identity = new PairRows(meta).read();
    if (identity == null) {
      throw new ServiceKeysException("no service identity is recorded");
    }
    return new RecordedKeys(
        identity.authority(),
        identity.pairs().stream().map(pair -> new Ids(pair.noteKid(), pair.receiptKid())).toList());
  }

  /// Checks that a folder has all of these keys, in the way that {@link ServiceKeyStore} keeps
  /// them.
  ///
  /// @throws ServiceKeysException if one is missing, open to others, or another
  public void checkAllIn(Path directory, Signatures signatures)
      throws IOException, ServiceKeysException {
    for (int i = 0; i < pairs.size(); i++) {
      Ids ids = pairs.get(i);
      var _ = new KeyFolder(folder(directory, i), signatures).load(ids.noteKid(), ids.receiptKid());
    }
  }

  /// Copies them to another folder, on the disk when this returns.
  public void copy(Path from, Path to) throws IOException {
    for (int i = 0; i < pairs.size(); i++) {
      Path folder = folder(to, i);
      PrivateFile.createDirectory(folder);
      for (String name : List.of(KeyFolder.NOTE, KeyFolder.RECEIPT)) {
        byte[] pem = Files.readAllBytes(folder(from, i).resolve(name));
        try {
          PrivateFile.replace(folder.resolve(name), pem);
        } finally {
          Arrays.fill(pem, (byte) 0);
        }
      }
      PrivateFile.force(folder);
    }
    PrivateFile.force(to);
  }

  private Path folder(Path directory, int number) {
    return number == 0 ? directory : directory.resolve(pairs.get(number).receiptKid().hex());
  }
}
