package io.tallystick.storage.forest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/// Limits that an operator gave the saved versions of one strand's state, below those of the shard.
/// Source: `docs/formats/state-pages.md`, "Saved versions".
///
/// @param versions the most versions beside the newest; empty: as many as of any state
/// @param bytes the most bytes of slots and files that only they have; empty likewise
public record OwnLimits(OptionalInt versions, OptionalLong bytes) {
  /// Those of the shard alone.
  public static final OwnLimits NONE = new OwnLimits(OptionalInt.empty(), OptionalLong.empty());

  private static final int FORMAT = 1;

  public OwnLimits {
    if (versions.orElse(0) < 0 || bytes.orElse(0) < 0) {
      throw new IllegalArgumentException("limits below 0");
    }
  }

  /// Those of a strand; {@link #NONE} without a row.
  ///
  /// @throws CorruptStreamException if the row cannot be read
  static OwnLimits read(MetaStore meta, StrandId strand)
      throws IOException, CorruptStreamException {
    Bytes row = meta.get(SavedKeys.limits(strand));
    try {
      return row == null ? NONE : decode(strand, row);
    } catch (MalformedException | IllegalArgumentException e) {
      throw new CorruptStreamException(
          "limits of saved versions of " + strand, 0, "row cannot be read: " + e.getMessage(), e);
    }
  }

  /// The most versions beside the newest that are kept under these and the shard's limits.
  public int versionsMax(VersionLimits shard) {
    return Math.min(versions.orElse(Integer.MAX_VALUE), shard.versions());
  }

  /// The most bytes of slots and files that older versions alone may have under these and the
  /// shard's limits.
  ///
  /// @param newestBytes what stands for {@link VersionLimits#AS_NEWEST}
  long bytesMax(VersionLimits shard, long newestBytes) {
    long most = shard.bytesMax() == VersionLimits.AS_NEWEST ? newestBytes : shard.bytesMax();
    return Math.min(bytes.orElse(Long.MAX_VALUE), most);
  }

  Bytes encode(StrandId strand) {
    CborWriter out = new CborWriter(32).array(4).uint(FORMAT);
    versions.ifPresentOrElse(out::uint, out::nil);
    bytes.ifPresentOrElse(out::uint, out::nil);
    return out.uint(checksum(strand, out.buffer(), out.length())).toBytes();
  }

  private static long checksum(StrandId strand, byte[] row, int count) {
    CRC32C crc = new CRC32C();
    crc.update(SavedKeys.limits(strand).unsafeArray());
    crc.update(row, 0, count);
    return crc.getValue();
  }

  static OwnLimits decode(StrandId strand, Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("limits", 4);
    long format = in.uint();
    if (format != FORMAT) {
      throw new MalformedException("format " + format + ", want " + FORMAT);
    }
    OptionalInt versions =
        in.nil()
            ? OptionalInt.empty()
            : OptionalInt.of((int) in.uint("versions", Integer.MAX_VALUE));
    OptionalLong bytes = in.nil() ? OptionalLong.empty() : OptionalLong.of(in.uint());
    long want = checksum(strand, row.unsafeArray(), in.position());
    if (in.uint() != want) {
      throw new MalformedException("checksum of the limits is wrong");
    }
    in.end();
    return new OwnLimits(versions, bytes);
  }
}
