package io.tallystick.cluster.book;

import io.tallystick.storage.replicated.EntryReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.BookKeeper.DigestType;
import org.apache.bookkeeper.client.LedgerEntry;
import org.apache.bookkeeper.client.LedgerHandle;

/// Reads one ledger of BookKeeper, without recovery. While the ledger is open, its end is what
/// enough bookies know to be confirmed: one add late, or as late as the writer's interval ({@link
/// BookKeeperSettings#lastConfirmedEvery}).
final class BookLogReader implements EntryReader {
  private final BookKeeper client;
  private final long log;
  private volatile LedgerHandle handle;
  private volatile boolean ended;
  private volatile long last;

  BookLogReader(BookKeeper client, long log, LedgerHandle handle) {
    this.client = client;
    this.log = log;
    this.handle = handle;
    this.ended = handle.isClosed();
    this.last = handle.getLastAddConfirmed();
  }

  @Override
  public long log() {
    return log;
  }

  @Override
  public long lastConfirmed() {
    return last;
  }

  @Override
  public boolean isClosed() {
    return ended;
  }

  @Override
  public synchronized void refresh() throws IOException {
    try {
      if (ended) {
        client.isClosed(log); // throws if it is deleted
        return;
      }
      // The bookies answer with the interval's word and with what their newest entry says.
      long confirmed = handle.readExplicitLastConfirmed();
      if (confirmed > last) {
        last = confirmed; // whether it is closed is asked when nothing more comes
      } else if (client.isClosed(log)) {
        LedgerHandle closed = client.openLedgerNoRecovery(log, DigestType.CRC32C, new byte[0]);
        LedgerHandle before = handle;
        handle = closed;
        last = closed.getLastAddConfirmed();
        ended = true;
        before.close();
      }
    } catch (InterruptedException | BKException e) {
      throw BookFailures.of("following ledger " + log, e);
    }
  }

  @Override
  public List<LogEntry> read(long first, long lastRead) throws IOException {
    if (first < 0 || first > lastRead) {
      throw new IllegalArgumentException("entries " + first + " to " + lastRead);
    }
    List<LogEntry> entries = new ArrayList<>();
    try {
      for (LedgerEntry entry : Collections.list(handle.readUnconfirmedEntries(first, lastRead))) {
        entries.add(
            new LogEntry(
                entry.getEntryId(),
                entry.getLength(),
                ByteBuffer.wrap(entry.getEntry()).asReadOnlyBuffer()));
      }
    } catch (InterruptedException | BKException e) {
      throw BookFailures.of("reading ledger " + log, e);
    }
    return entries;
  }

  @Override
  public void close() throws IOException {
    try {
      handle.close();
    } catch (InterruptedException | BKException e) {
      throw BookFailures.of("closing a reader of ledger " + log, e);
    }
  }
}
