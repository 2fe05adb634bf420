package io.tallystick.cluster.book;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.bookkeeper.bookie.BookieException;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.bookie.Journal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Has a bookie leave each file of its journal some time after it took entries: BookKeeper begins
/// another only when one is full, so that what was deleted would stay in the journal of a bookie
/// with little to do. It fills the file with entries of a ledger that does not exist, which the
/// bookie collects as it collects what is deleted. Likewise BookKeeper ends the entry log of a
/// ledger, which it collects only then, some time after its last entry (5 minutes) when another
/// ledger's entry comes: in the turns behind the last entry some come that are empty.
final class JournalTurnover implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JournalTurnover.class);

  /// Ledgers from this on are beyond all that BookKeeper gives out.
  private static final long FILLERS = 1L << 62;

  private static final int ENTRY_BYTES = 512 << 10;
  private static final int HEADER_BYTES = 3 * Long.BYTES;

  /// Turns without entries after which all entry logs are ended.
  private static final int QUIET_TURNS = 4;

  /// The cache of entry logs has 4 parts by the ledgers' numbers: an entry ends those of one.
  private static final int QUIET_ENTRIES = 32;

  private static final byte[] NO_PASSWORD = new byte[0];
  private static final long ANSWER_SECONDS = 60;

  private final BookieImpl bookie;
  private final long entriesMax;
  private final ScheduledExecutorService turns =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("bookie-turnover").daemon().factory());

  /// The file that was written to when it was last looked.
  private long seen = -1;

  /// Turns since entries came.
  private int quiet;

  /// Another one each time: a bookie takes nothing more of a ledger that it has collected.
  private long filler = FILLERS + System.currentTimeMillis();

  /// @param journalBytes of a full file
  JournalTurnover(BookieImpl bookie, long journalBytes) {
    this.bookie = bookie;
    this.entriesMax = 2 + journalBytes / ENTRY_BYTES;
  }

  /// @param every what was deleted has left the journal after twice as long
  JournalTurnover start(Duration every) {
    long millis = every.toMillis();
    var _ = turns.scheduleWithFixedDelay(this::turn, millis, millis, TimeUnit.MILLISECONDS);
    return this;
  }

  private void turn() {
    try {
      look(bookie.getJournals().getFirst()); // it has one
    } catch (IOException
        | BookieException
        | ExecutionException
        | TimeoutException
        | RuntimeException e) {
      LOG.warn("the journal was not turned over, which is tried again: {}", e.toString());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void look(Journal journal)
      throws IOException,
          BookieException,
          InterruptedException,
          ExecutionException,
          TimeoutException {
    long file = fileOf(journal);
    boolean has = hasEntries(journal, file);
    quiet = has || file != seen ? 0 : quiet + 1;
    if (has && file == seen) {
      for (long i = 0; i < entriesMax && fileOf(journal) == file; i++) {
        fill(ENTRY_BYTES);
      }
    } else if (quiet <= QUIET_TURNS) {
      for (int i = 0; i < QUIET_ENTRIES; i++) {
        fill(HEADER_BYTES);
      }
    }
    seen = fileOf(journal);
  }

  /// Whether a file has others than those that fill it.
  private static boolean hasEntries(Journal journal, long file) throws IOException {
    AtomicBoolean others = new AtomicBoolean();
    long _ =
        journal.scanJournal(
            file, 0, (_, _, entry) -> others.set(others.get() || entry.getLong(0) < FILLERS), true);
    return others.get();
  }

  private static long fileOf(Journal journal) {
    return journal.getLastLogMark().getCurMark().getLogFileId();
  }

  private void fill(int bytes)
      throws IOException,
          BookieException,
          InterruptedException,
          ExecutionException,
          TimeoutException {
    ByteBuf entry = Unpooled.buffer(bytes);
    entry.writeLong(filler++).writeLong(0).writeLong(-1);
    entry.writeZero(bytes - HEADER_BYTES);
    CompletableFuture<Integer> written = new CompletableFuture<>();
    bookie.addEntry(entry, false, (code, _, _, _, _) -> written.complete(code), null, NO_PASSWORD);
    int code = written.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    if (code != 0) {
      throw new IOException("code " + code + " of the bookie");
    }
  }

  @Override
  public void close() {
    turns.shutdownNow();
  }
}
