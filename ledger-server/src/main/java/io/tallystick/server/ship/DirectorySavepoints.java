package io.tallystick.server.ship;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.server.ship.SavepointRefusedException.Reason;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Savepoints in a directory, for example of a mounted volume: a part is the folder `EPOCH-NONCE`,
/// 16 hex digits each, and a piece a file in it with its name in hex. Source:
/// docs/formats/shipped-savepoint.md.
public final class DirectorySavepoints implements SavepointStore {
  private static final HexFormat HEX = HexFormat.of();
  private static final int DIGITS = 2 * Long.BYTES;
  private static final String NAME =
      String.format(Locale.ROOT, "[0-9a-f]{%1$d}-[0-9a-f]{%1$d}", DIGITS);

  private final Disk disk;
  private final String folder;
  private final RandomGenerator nonces;

  /// @param folder of the shard; empty for the root
  /// @param nonces tell the parts of one epoch from each other
  public DirectorySavepoints(Disk disk, String folder, RandomGenerator nonces) {
    this.disk = disk;
    this.folder = folder;
    this.nonces = nonces;
  }

  private String in(String name) {
    return folder.isEmpty() ? name : folder + "/" + name;
  }

  private static String nameOf(Bytes part) {
    ByteBuffer id = ByteBuffer.wrap(part.toArray());
    return HEX.toHexDigits(id.getLong()) + "-" + HEX.toHexDigits(id.getLong());
  }

  private String file(ShippedPiece piece) {
    return in(nameOf(piece.part())) + "/" + piece.name().hex();
  }

  @Override
  public Upload begin(long epoch) {
    return new Folder(
        Bytes.wrap(
            ByteBuffer.allocate(2 * Long.BYTES).putLong(epoch).putLong(nonces.nextLong()).array()));
  }

  @Override
  public ByteBuffer get(ShippedPiece piece) throws IOException, SavepointRefusedException {
    if (piece.part().size() != 2 * Long.BYTES) {
      throw new SavepointRefusedException(
          Reason.DAMAGED, "piece " + piece.name() + " is in no part: " + piece.part().hex());
    }
    Optional<DiskFile> there = disk.openIfThere(file(piece));
    if (there.isEmpty()) {
      throw new SavepointRefusedException(
          Reason.MISSING, "piece " + piece.name() + " is missing: " + file(piece));
    }
    try (DiskFile file = there.get()) {
      ByteBuffer bytes = ByteBuffer.allocate(piece.bytes());
      file.read(0, bytes);
      return checked(piece, bytes.flip(), file.name());
    }
  }

  /// @param where for people
  static ByteBuffer checked(ShippedPiece piece, ByteBuffer bytes, String where)
      throws SavepointRefusedException {
    Digest found = ShippedPiece.nameOf(bytes);
    if (bytes.limit() != piece.bytes() || !found.equals(piece.name())) {
      throw new SavepointRefusedException(
          Reason.DAMAGED,
          String.format(
              Locale.ROOT,
              "piece %s is damaged: %d bytes with SHA-256 %s in %s, want %d",
              piece.name(),
              bytes.limit(),
              found,
              where,
              piece.bytes()));
    }
    return bytes;
  }

  @Override
  public List<Part> list() throws IOException {
    List<Part> parts = new ArrayList<>();
    for (String name : disk.list(folder)) {
      if (name.matches(NAME)) {
        byte[] id = HEX.parseHex(name.substring(0, DIGITS) + name.substring(DIGITS + 1));
        parts.add(new Part(Bytes.wrap(id), ByteBuffer.wrap(id).getLong()));
      }
    }
    return parts;
  }

  @Override
  public void delete(Bytes part) throws IOException {
    String of = in(nameOf(part));
    for (String piece : disk.list(of)) {
      disk.delete(of + "/" + piece);
    }
    disk.delete(of);
    disk.forceDirectory(folder);
  }

  private final class Folder implements Upload {
    private final Bytes part;

    Folder(Bytes part) {
      this.part = part;
    }

    @Override
    public Bytes part() {
      return part;
    }

    @Override
    public ShippedPiece put(Digest name, ByteBuffer bytes) throws IOException {
      ShippedPiece piece = new ShippedPiece(name, bytes.remaining(), part, 0);
      try (DiskFile file = disk.open(file(piece))) {
        file.write(0, bytes);
        file.force();
      }
      return piece;
    }

    @Override
    public void finish() throws IOException {
      disk.forceDirectory(in(nameOf(part)));
      disk.forceDirectory(folder);
    }

    @Override
    public void close() {}
  }
}
