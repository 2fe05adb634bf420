package io.tallystick.cluster.book;

import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.EntryReader;
import io.tallystick.storage.replicated.LogWriter;
import io.tallystick.storage.replicated.NoSuchLogException;
import io.tallystick.storage.replicated.Quorum;
import io.tallystick.storage.replicated.ReplicatedLogs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.BookKeeper.DigestType;
import org.apache.bookkeeper.client.BookKeeperAdmin;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.discover.RegistrationClient;
import org.apache.bookkeeper.net.BookieId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs that are ledgers of Apache BookKeeper. Each entry has a CRC-32C of BookKeeper's beside the
/// checksums of frames. A log's label is custom metadata of its ledger. Thread-safe.
public final class BookKeeperLogs implements ReplicatedLogs, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BookKeeperLogs.class);
  private static final String LABEL = "tallystick";

  /// BookKeeper's passwords guard no reads: who may reach bookies is a matter of the network and of
  /// TLS.
  private static final byte[] NO_PASSWORD = new byte[0];

  private final BookKeeper client;
  private final BookKeeperAdmin admin;
  private final RegistrationClient registrations;
  private final RegistrationClient.RegistrationListener listener =
      bookies -> seen(bookies.getValue());
  private final Set<BookLogWriter> writers = ConcurrentHashMap.newKeySet();

  private BookKeeperLogs(BookKeeper client) throws IOException {
    this.client = client;
    this.admin = new BookKeeperAdmin(client);
    this.registrations = client.getMetadataClientDriver().getRegistrationClient();
    try {
      registrations.watchWritableBookies(listener).get();
    } catch (InterruptedException | ExecutionException e) {
      throw BookFailures.of("watching the bookies", e);
    }
  }

  /// Connects to the metadata service.
  ///
  /// @throws IOException if it cannot be reached or knows no BookKeeper cluster
  public static BookKeeperLogs connect(BookKeeperSettings settings) throws IOException {
    BookKeeper client;
    try {
      client = new BookKeeper(settings.toClient());
    } catch (InterruptedException | BKException e) {
      throw BookFailures.of("connecting to " + settings.metadata(), e);
    }
    try {
      return new BookKeeperLogs(client);
    } catch (IOException | RuntimeException e) {
      close(client, e);
      throw e;
    }
  }

  private static void close(BookKeeper client, Exception failure) {
    try {
      client.close();
    } catch (InterruptedException | BKException e) {
      failure.addSuppressed(BookFailures.of("closing", e));
    }
  }

  @Override
  public LogWriter create(Quorum quorum, Bytes label) throws IOException {
    LedgerHandle handle;
    try {
      handle =
          client.createLedger(
              quorum.ensemble(),
              quorum.write(),
              quorum.ack(),
              DigestType.CRC32C,
              NO_PASSWORD,
              Map.of(LABEL, label.toArray()));
    } catch (InterruptedException | BKException e) {
      throw BookFailures.of("creating a ledger of " + quorum, e);
    }
    BookLogWriter writer = new BookLogWriter(handle, writers::remove);
    writers.add(writer);
    try {
      seen(writableBookies());
    } catch (IOException e) {
      LOG.warn("the bookies cannot be listed now: {}", e.toString()); // the log is made
    }
    return writer;
  }

  /// A writer one of whose bookies is gone has entries with fewer copies.
  private void seen(Collection<BookieId> writable) {
    writers.forEach(writer -> writer.seen(writable));
  }

  @Override
  public EntryReader open(long log) throws IOException {
    return new BookLogReader(client, log, openHandle(log));
  }

  private LedgerHandle openHandle(long log) throws IOException {
    try {
      return client.openLedgerNoRecovery(log, DigestType.CRC32C, NO_PASSWORD);
    } catch (InterruptedException | BKException e) {
      throw BookFailures.of("opening ledger " + log, e);
    }
  }

  @Override
  public EntryReader recover(long log) throws IOException {
    try {
      return new BookLogReader(client, log, client.openLedger(log, DigestType.CRC32C, NO_PASSWORD));
    } catch (InterruptedException | BKException e) {
      throw BookFailures.of("recovering ledger " + log, e);
    }
  }

  @Override
  public void delete(long log) throws IOException {
    try {
      client.deleteLedger(log);
    } catch (BKException.BKNoSuchLedgerExistsException
        | BKException.BKNoSuchLedgerExistsOnMetadataServerException _) {
      // It is gone.
    } catch (InterruptedException | BKException e) {
      throw BookFailures.of("deleting ledger " + log, e);
    }
  }

  @Override
  public List<Labelled> list() throws IOException {
    List<Labelled> logs = new ArrayList<>();
    for (long log : admin.listLedgers()) {
      labelOf(log).ifPresent(label -> logs.add(new Labelled(log, label)));
    }
    return logs;
  }

  /// Empty for a ledger of others, and for one that was deleted since it was listed.
  private Optional<Bytes> labelOf(long log) throws IOException {
    try {
      LedgerMetadata metadata = client.getLedgerManager().readLedgerMetadata(log).get().getValue();
      byte @Nullable [] label = metadata.getCustomMetadata().get(LABEL);
      return label == null ? Optional.empty() : Optional.of(Bytes.copyOf(label));
    } catch (InterruptedException | ExecutionException e) {
      IOException failure = BookFailures.of("reading the metadata of ledger " + log, e);
      if (failure instanceof NoSuchLogException) {
        return Optional.empty();
      }
      throw failure;
    }
  }

  @Override
  public int machines() throws IOException {
    return writableBookies().size();
  }

  private Set<BookieId> writableBookies() throws IOException {
    try {
      return registrations.getWritableBookies().get().getValue();
    } catch (InterruptedException | ExecutionException e) {
      throw BookFailures.of("listing the bookies", e);
    }
  }

  @Override
  public void close() throws IOException {
    registrations.unwatchWritableBookies(listener);
    try {
      admin.close();
      client.close();
    } catch (InterruptedException | BKException e) {
      throw BookFailures.of("closing", e);
    }
  }
}
