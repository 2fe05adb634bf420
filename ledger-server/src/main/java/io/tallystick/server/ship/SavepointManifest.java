package io.tallystick.server.ship;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.server.ship.SavepointRefusedException.Reason;
import io.tallystick.storage.disk.DiskName;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;

/// What a shipped savepoint is made of. Source: docs/formats/shipped-savepoint.md.
///
/// @param position of the first frame that it has not
/// @param epoch of the writer of the savepoint
/// @param timeMs of the newest frame
/// @param software that shipped it
/// @param parts that pieces are in, with the bytes that were put into each
public record SavepointManifest(
    StreamId shard,
    StreamPosition position,
    long epoch,
    long timeMs,
    Software software,
    Map<Bytes, Long> parts,
    List<ShippedFile> files) {
  private static final int FORMAT = 1;
  private static final int FIELDS = 10;
  private static final int PART_FIELDS = 2;
  private static final int FILE_FIELDS = 3;
  private static final int PIECE_FIELDS = 4;
  private static final int PART_BYTES_MAX = 64;
  private static final int FILES_MAX = 1 << 20;

  /// Folders that files are in.
  static final Set<String> FOLDERS =
      Set.of("meta", "index", "patricia", "forest", "images", "objects");

  public SavepointManifest {
    parts = Map.copyOf(parts);
    files = List.copyOf(files);
  }

  /// What keeps a shard's files.
  ///
  /// @param version for people
  /// @param stateFormat of the files; one that knows a number knows all lower ones
  public record Software(String version, int stateFormat) {}

  public long bytes() {
    return files.stream().mapToLong(ShippedFile::bytes).sum();
  }

  Bytes encode() {
    List<Bytes> order = parts.keySet().stream().sorted().toList();
    Map<Bytes, Integer> numbers = new HashMap<>();
    CborWriter out = new CborWriter().array(FIELDS).uint(FORMAT).uint(shard.shard());
    out.uint(position.frame()).uint(position.number()).uint(epoch).uint(timeMs);
    out.text(software.version()).uint(software.stateFormat()).array(order.size());
    for (Bytes part : order) {
      numbers.put(part, numbers.size());
      out.array(PART_FIELDS).bytes(part).uint(parts.getOrDefault(part, 0L));
    }
    out.array(files.size());
    for (ShippedFile file : files) {
      out.array(FILE_FIELDS).text(file.name()).uint(file.bytes()).array(file.pieces().size());
      for (ShippedPiece piece : file.pieces()) {
        out.array(PIECE_FIELDS).digest(piece.name()).uint(piece.bytes());
        out.uint(numbers.getOrDefault(piece.part(), numbers.size())).uint(piece.at());
      }
    }
    byte[] encoded = out.toArray();
    ByteBuffer sealed = ByteBuffer.allocate(encoded.length + Integer.BYTES);
    return Bytes.wrap(sealed.put(encoded).putInt(checksum(encoded, encoded.length)).array());
  }

  private static int checksum(byte[] bytes, int count) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, count);
    return (int) crc.getValue();
  }

  /// Gets it from the store.
  ///
  /// @throws SavepointRefusedException `MISSING`, and as {@link #decode(byte[])}
  static SavepointManifest get(SavepointStore store, PublishedSavepoint savepoint)
      throws IOException, SavepointRefusedException {
    ByteBuffer piece = store.get(savepoint.manifest());
    byte[] bytes = new byte[piece.remaining()];
    piece.get(bytes);
    return decode(bytes);
  }

  /// @throws SavepointRefusedException `DAMAGED`, `NEWER_FORMAT`
  static SavepointManifest decode(byte[] bytes) throws SavepointRefusedException {
    int count = bytes.length - Integer.BYTES;
    if (count < 0 || ByteBuffer.wrap(bytes).getInt(count) != checksum(bytes, count)) {
      throw new SavepointRefusedException(
          Reason.DAMAGED, "manifest of " + bytes.length + " bytes has a wrong checksum");
    }
    try {
      CborReader in = new CborReader(bytes, 0, count);
      int fields = in.array();
      long format = in.uint();
      if (format > FORMAT) {
        throw new SavepointRefusedException(
            Reason.NEWER_FORMAT,
            String.format(
                Locale.ROOT,
                "manifest has format %d, newer than what this software knows, %d",
                format,
                FORMAT));
      }
      if (fields != FIELDS || format != FORMAT) {
        throw new MalformedException(fields + " fields of format " + format);
      }
      return decode(in);
    } catch (MalformedException e) {
      throw new SavepointRefusedException(Reason.DAMAGED, "manifest: " + e.getMessage(), e);
    }
  }

  private static SavepointManifest decode(CborReader in) throws MalformedException {
    StreamId shard = new StreamId((int) in.uint("shard", Integer.MAX_VALUE));
    StreamPosition position = new StreamPosition(in.uint(), in.uint());
    long epoch = in.uint();
    long timeMs = in.uint();
    Software software = new Software(in.text(), (int) in.uint("state format", Integer.MAX_VALUE));
    Map<Bytes, Long> parts = new LinkedHashMap<>();
    int partCount = in.arrayAtMost("parts", FILES_MAX);
    for (int i = 0; i < partCount; i++) {
      in.array("part", PART_FIELDS);
      parts.put(Bytes.wrap(in.bytes("part", PART_BYTES_MAX)), in.uint());
    }
    List<Bytes> order = List.copyOf(parts.keySet());
    List<ShippedFile> files = new ArrayList<>();
    Set<String> names = new HashSet<>();
    int fileCount = in.arrayAtMost("files", FILES_MAX);
    for (int i = 0; i < fileCount; i++) {
      ShippedFile file = decodeFile(in, order);
      if (!names.add(file.name())) {
        throw new MalformedException("file " + file.name() + " comes twice");
      }
      files.add(file);
    }
    in.end();
    return new SavepointManifest(shard, position, epoch, timeMs, software, parts, files);
  }

  private static ShippedFile decodeFile(CborReader in, List<Bytes> parts)
      throws MalformedException {
    in.array("file", FILE_FIELDS);
    String name = in.text();
    checkName(name);
    long bytes = in.uint();
    List<ShippedPiece> pieces = new ArrayList<>();
    int count = in.arrayAtMost("pieces", Integer.MAX_VALUE);
    for (int i = 0; i < count; i++) {
      in.array("piece", PIECE_FIELDS);
      pieces.add(
          new ShippedPiece(
              in.digest(),
              (int) in.uint("piece's bytes", ShippedPiece.BYTES),
              parts.get((int) in.uint("piece's part", parts.size() - 1L)),
              in.uint()));
    }
    ShippedFile file = new ShippedFile(name, pieces);
    if (file.bytes() != bytes) {
      throw new MalformedException(
          String.format(
              Locale.ROOT, "pieces of %s have %d bytes, want %d", name, file.bytes(), bytes));
    }
    return file;
  }

  /// What is fetched must stay inside of the shard's directory, and be of the shard.
  private static void checkName(String name) throws MalformedException {
    try {
      int slash = DiskName.checkFile(name).indexOf('/');
      if (slash < 0 || !FOLDERS.contains(name.substring(0, slash))) {
        throw new MalformedException("no file of a savepoint: " + name);
      }
    } catch (IllegalArgumentException e) {
      throw new MalformedException(String.valueOf(e.getMessage()));
    }
  }
}
