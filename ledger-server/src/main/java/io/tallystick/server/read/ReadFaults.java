package io.tallystick.server.read;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.StreamUnavailableException;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells the operator what reads meet: each damaged place once, each failure of the disk once, so
/// that a read that is asked for again and again does not fill the log. Thread-safe.
public final class ReadFaults {
  /// Places and failures remembered; further ones are not told.
  static final int TOLD_MAX = 1000;

  private static final Logger LOG = LoggerFactory.getLogger(ReadFaults.class);

  private final StoredBlocks stored;
  private final Consumer<String> tell;
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  ReadFaults(StoredBlocks stored) {
    this(stored, LOG::error);
  }

  /// @param tell logs a line
  ReadFaults(StoredBlocks stored, Consumer<String> tell) {
    this.stored = stored;
    this.tell = tell;
  }

  /// A body whose checksum is wrong, with its place.
  static RequestRejectedException damagedBody(StoredBlocks stored, long jsn, Location at) {
    String detail = "checksum of the stored body is wrong";
    return LogReader.damaged(jsn, detail, stored.damaged(at, detail));
  }

  /// The same refusal with the place of its journal's block, if it names a journal and no place.
  public RequestRejectedException placed(StrandIndex strand, RequestRejectedException damage) {
    if (damage.jsn().isEmpty() || place(damage) != null) {
      return damage;
    }
    long jsn = damage.jsn().getAsLong();
    String detail = String.valueOf(damage.getMessage());
    try {
      CorruptStreamException block =
          stored.damaged(strand.block(strand.heightOf(jsn)), "block of journal " + jsn);
      return new RequestRejectedException(RejectionCode.DAMAGED, detail, block).atJsn(jsn);
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      damage.addSuppressed(e);
      return damage;
    }
  }

  /// Damage that an answer says.
  public void damaged(StrandId strand, RequestRejectedException damage) {
    CorruptStreamException place = place(damage);
    String detail = String.valueOf(damage.getMessage());
    if (place == null) {
      tell(strand + detail, String.format(Locale.ROOT, "%s (ledger %s)", detail, strand.ledger()));
    } else {
      tell(
          place.file() + '@' + place.offset(),
          String.format(
              Locale.ROOT,
              "damaged bytes in %s at %d: %s (ledger %s)",
              place.file(),
              place.offset(),
              detail,
              strand.ledger()));
    }
  }

  /// The answer to a read that the disk failed, or those who keep a shared stream.
  public RequestRejectedException failed(IOException failure) {
    Throwable why = failure.getCause() == null ? failure : failure.getCause();
    tell(String.valueOf(why.getMessage()), failer(failure) + " a read: " + failure.getMessage());
    return unavailable(failure);
  }

  /// The same of a read whose failure says nothing of the disk.
  public static RequestRejectedException unavailable(IOException failure) {
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE, failer(failure) + ": " + failure.getMessage(), failure);
  }

  private static String failer(IOException failure) {
    return failure instanceof StreamUnavailableException
        ? "the machines that keep the stream failed"
        : "the disk failed";
  }

  private void tell(String what, String line) {
    if (told.size() < TOLD_MAX && told.add(what)) {
      tell.accept(line);
      if (told.size() == TOLD_MAX) {
        tell.accept(
            String.format(
                Locale.ROOT,
                "%d damaged places and failures are told: no further ones until the service restarts",
                TOLD_MAX));
      }
    }
  }

  private static @Nullable CorruptStreamException place(Throwable damage) {
    for (Throwable each = damage.getCause(); each != null; each = each.getCause()) {
      if (each instanceof CorruptStreamException place) {
        return place;
      }
    }
    return null;
  }
}
