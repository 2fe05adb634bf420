package io.tallystick.storage.forest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// The versions of a strand's state that savepoints have, oldest first; the last is the newest.
/// Source: `docs/formats/state-pages.md`, "Saved versions".
///
/// @param slotBytes of all slots that any of them has
record SavedList(long slotBytes, List<Saved> versions) {
  private static final int FORMAT = 1;
  private static final int VERSIONS_MAX = 1 << 16;
  private static final int FILES_MAX = 65_535;

  /// A version.
  ///
  /// @param height of the last block that changed it
  /// @param operations that were carried out until then, since the state was made or rebuilt
  /// @param givenUpBytes of the slots that the version before has, and this one has not
  /// @param files likewise
  record Saved(long height, long operations, long givenUpBytes, List<SavedFile> files) {
    Saved with(long newGivenUpBytes, List<SavedFile> newFiles) {
      return new Saved(height, operations, newGivenUpBytes, List.copyOf(newFiles));
    }
  }

  /// The file of a closed partition.
  ///
  /// @param closedAt the height from which on versions have it
  record SavedFile(long number, long serial, long closedAt, long bytes) {}

  /// The list of a strand; null if it has none.
  ///
  /// @throws CorruptStreamException if it cannot be read
  static @Nullable SavedList read(MetaStore meta, StrandId strand)
      throws IOException, CorruptStreamException {
    Bytes row = meta.get(SavedKeys.list(strand));
    try {
      return row == null ? null : decode(strand, row);
    } catch (MalformedException | IllegalArgumentException e) {
      throw new CorruptStreamException(
          "saved versions of " + strand, 0, "row cannot be read: " + e.getMessage());
    }
  }

  /// The heights of the versions that the last savepoint had; none if the list cannot be read.
  static List<Long> heights(MetaStore meta, StrandId strand) throws IOException {
    try {
      SavedList list = read(meta, strand);
      return list == null ? List.of() : list.versions.stream().map(Saved::height).toList();
    } catch (CorruptStreamException _) {
      return List.of();
    }
  }

  Bytes encode(StrandId strand) {
    CborWriter out = new CborWriter(64 + 24 * versions.size());
    out.array(4).uint(FORMAT).uint(slotBytes).array(versions.size());
    for (Saved saved : versions) {
      out.array(4).uint(saved.height).uint(saved.operations).uint(saved.givenUpBytes);
      out.array(saved.files.size());
      for (SavedFile file : saved.files) {
        out.array(4).uint(file.number).uint(file.serial).uint(file.closedAt).uint(file.bytes);
      }
    }
    return out.uint(checksum(strand, out.buffer(), out.length())).toBytes();
  }

  private static long checksum(StrandId strand, byte[] row, int count) {
    CRC32C crc = new CRC32C();
    crc.update(SavedKeys.list(strand).unsafeArray());
    crc.update(row, 0, count);
    return crc.getValue();
  }

  static SavedList decode(StrandId strand, Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("saved versions", 4);
    long format = in.uint();
    if (format != FORMAT) {
      throw new MalformedException("format " + format + ", want " + FORMAT);
    }
    long slotBytes = in.uint();
    int count = in.arrayAtMost("versions", VERSIONS_MAX);
    List<Saved> versions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      in.array("version", 4);
      long height = in.uint();
      if (!versions.isEmpty() && height <= versions.getLast().height) {
        throw new MalformedException("version " + height + " is not above the one before");
      }
      versions.add(new Saved(height, in.uint(), in.uint(), files(in)));
    }
    long want = checksum(strand, row.unsafeArray(), in.position());
    if (in.uint() != want) {
      throw new MalformedException("checksum of the saved versions is wrong");
    }
    in.end();
    return new SavedList(slotBytes, List.copyOf(versions));
  }

  private static List<SavedFile> files(CborReader in) throws MalformedException {
    int count = in.arrayAtMost("files", FILES_MAX);
    List<SavedFile> files = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      in.array("file", 4);
      files.add(new SavedFile(in.uint(), in.uint(), in.uint(), in.uint()));
    }
    return List.copyOf(files);
  }
}
