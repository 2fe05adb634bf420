package io.tallystick.audit.source;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.note.SignedNote;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TileItems;
import io.tallystick.tile.TilePath;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;

/// Reads files of a log's public read path that must be there and of their form.
public record TileReader(TileFiles files) {
  /// A file's path by its width.
  public interface Path {
    String of(long index, int width);
  }

  /// A file and how many items it has.
  private record Found(String path, Bytes content, int width) {}

  Bytes required(String path, int bytesMax) throws IOException, LogFormatException {
    return files
        .read(path, bytesMax)
        .orElseThrow(() -> LogFormatException.truncated("there is no " + path));
  }

  /// Without it there is no log.
  public Bytes checkpoint() throws IOException, LogFormatException {
    return files
        .read(TilePath.CHECKPOINT, SignedNote.NOTE_BYTES_MAX)
        .orElseThrow(() -> files.noLog("it has no file " + TilePath.CHECKPOINT));
  }

  private Found find(Path path, long index, int width, int bytesMax)
      throws IOException, LogFormatException {
    String name = path.of(index, width);
    Optional<Bytes> file = files.read(name, bytesMax);
    if (file.isPresent()) {
      return new Found(name, file.get(), width);
    }
    if (width < TilePath.WIDTH) {
      // The log has grown meanwhile, and the partial file made way for the full one.
      String full = path.of(index, TilePath.WIDTH);
      file = files.read(full, bytesMax);
      if (file.isPresent()) {
        return new Found(full, file.get(), TilePath.WIDTH);
      }
    }
    throw LogFormatException.truncated("there is no " + name);
  }

  /// At least `width` items.
  public TileItems bundle(TileBundle kind, Path path, long index, int width)
      throws IOException, LogFormatException {
    Found found = find(path, index, width, kind.bytesMax());
    try {
      return kind.decode(found.content(), found.width());
    } catch (MalformedException e) {
      throw LogFormatException.malformed(found.path() + " " + e.getMessage());
    }
  }

  /// The first `width` hashes of a tile, 32 bytes each.
  public Bytes hashes(int level, long index, int width) throws IOException, LogFormatException {
    Found found =
        find(
            (at, wide) -> TilePath.hashes(level, at, wide),
            index,
            width,
            TilePath.WIDTH * Digest.BYTES);
    int bytes = found.width() * Digest.BYTES;
    if (found.content().size() != bytes) {
      throw LogFormatException.malformed(
          String.format(
              Locale.ROOT,
              "%s has %d bytes, want %d",
              found.path(),
              found.content().size(),
              bytes));
    }
    return found.content().slice(0, width * Digest.BYTES);
  }

  /// @throws LogFormatException if the published tile is not this one
  public void check(TileRows.Tile tile) throws IOException, LogFormatException {
    Bytes published = hashes(tile.level(), tile.index(), tile.width());
    if (!published.slice(tile.from() * Digest.BYTES, tile.hashes().size()).equals(tile.hashes())) {
      throw LogFormatException.malformed(
          TilePath.hashes(tile.level(), tile.index(), tile.width())
              + " does not have the hashes of the leaves");
    }
  }
}
