package io.tallystick.cluster.book;

import io.netty.buffer.Unpooled;
import io.tallystick.storage.replicated.LogWriter;
import io.tallystick.storage.replicated.PendingAdd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.net.BookieId;

/// Writes one ledger of BookKeeper. Its adds end in a bounded time, because the client's timeouts
/// are set ({@link BookKeeperSettings}).
final class BookLogWriter implements LogWriter {
  private final LedgerHandle handle;
  private final Consumer<BookLogWriter> closed;
  private volatile boolean thin;

  /// @param closed told when this writer needs no news of the bookies any more
  BookLogWriter(LedgerHandle handle, Consumer<BookLogWriter> closed) {
    this.handle = handle;
    this.closed = closed;
  }

  @Override
  public long log() {
    return handle.getId();
  }

  /// @param writable the bookies that there are
  void seen(Collection<BookieId> writable) {
    for (List<BookieId> ensemble : handle.getLedgerMetadata().getAllEnsembles().values()) {
      thin |= !writable.containsAll(ensemble);
    }
  }

  @Override
  public PendingAdd add(ByteBuffer entry) throws IOException {
    CompletableFuture<Long> confirmed = new CompletableFuture<>();
    handle.asyncAddEntry(
        Unpooled.copiedBuffer(
            entry), // it is sent to the third bookie still when two have confirmed it
        (code, _, number, _) -> {
          if (code == BKException.Code.OK) {
            confirmed.complete(number);
          } else {
            closed.accept(this);
            confirmed.completeExceptionally(BKException.create(code));
          }
        },
        null);
    return new InFlight(handle.getId(), confirmed);
  }

  @Override
  public boolean isThin() {
    return thin;
  }

  @Override
  public void close() throws IOException {
    closed.accept(this);
    try {
      handle.close();
    } catch (InterruptedException | BKException e) {
      throw BookFailures.of("closing ledger " + handle.getId(), e);
    }
  }

  private record InFlight(long log, CompletableFuture<Long> confirmed) implements PendingAdd {
    @Override
    public boolean isDone() {
      return confirmed.isDone();
    }

    /// An interrupt is kept for later: the owner cannot go on before it knows.
    @Override
    public long await() throws IOException {
      boolean interrupted = false;
      try {
        while (true) {
          try {
            return confirmed.get();
          } catch (InterruptedException _) {
            interrupted = true;
          }
        }
      } catch (ExecutionException e) {
        throw BookFailures.of("adding to ledger " + log, e);
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }
}
