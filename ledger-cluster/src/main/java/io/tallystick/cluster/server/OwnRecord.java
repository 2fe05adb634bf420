package io.tallystick.cluster.server;

import io.tallystick.durable.DurableFile;
import io.tallystick.master.identity.Claimant.Remembered;
import io.tallystick.model.Bytes;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The highest epoch and confirmed frame that this server saw of a shard, in a file beside its
/// indexes: what the cluster forgot, when ZooKeeper was put back to an older state, stands here. A
/// frame is on the disk a moment after it was confirmed. Thread-safe. Source:
/// `docs/formats/replicated.md`.
final class OwnRecord {
  private static final Pattern LINE =
      Pattern.compile("epoch ([0-9]{1,18}) frame (-1|[0-9]{1,18})\n");

  /// No frame was confirmed yet.
  private static final long NONE = -1;

  private final DurableFile file;
  private @Nullable Remembered kept;
  private long epoch;
  private volatile long frame;

  private OwnRecord(DurableFile file, @Nullable Remembered kept) {
    this.file = file;
    this.kept = kept;
    this.epoch = kept == null ? 0 : kept.epoch();
    this.frame = kept == null ? NONE : kept.frame();
  }

  /// @param folder of all records, made if there is none
  /// @throws CorruptStreamException if the file says something else; whoever deletes it answers for
  ///   it
  static OwnRecord open(Path folder, int shard) throws IOException, CorruptStreamException {
    Files.createDirectories(folder);
    DurableFile file = DurableFile.in(folder, String.format(Locale.ROOT, "%05d.seen", shard));
    Optional<Bytes> content = file.read();
    if (content.isEmpty()) {
      return new OwnRecord(file, null);
    }
    Matcher line = LINE.matcher(new String(content.get().toArray(), StandardCharsets.US_ASCII));
    if (!line.matches()) {
      throw new CorruptStreamException(file.path().toString(), 0, "it says no epoch and frame");
    }
    return new OwnRecord(
        file, new Remembered(Long.parseLong(line.group(1)), Long.parseLong(line.group(2))));
  }

  /// Empty if this server never wrote the shard.
  synchronized Optional<Remembered> remembered() {
    return Optional.ofNullable(kept);
  }

  /// On the disk when this returns.
  synchronized void claimed(long newEpoch) throws IOException {
    epoch = Math.max(epoch, newEpoch);
    flush();
  }

  /// A frame was confirmed. Never blocks.
  void confirmed(long number) {
    frame = number;
  }

  /// Puts on the disk what is new.
  synchronized void flush() throws IOException {
    Remembered now = new Remembered(epoch, Math.max(frame, kept == null ? NONE : kept.frame()));
    if (epoch > 0 && !now.equals(kept)) {
      file.replace(
          Bytes.utf8(String.format(Locale.ROOT, "epoch %d frame %d\n", now.epoch(), now.frame())));
      kept = now;
    }
  }
}
