package io.tallystick.audit.source;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A log that notes, while it is read, which certificates its grants name. Not thread-safe.
public final class NamedCertificates implements LogSource {
  private final LogSource source;
  private final Set<Digest> named = new LinkedHashSet<>();

  public NamedCertificates(LogSource source) {
    this.source = source;
  }

  /// In the order of the log, as far as it was read.
  public Set<Digest> named() {
    return Set.copyOf(named);
  }

  @Override
  public LogReader open() throws IOException, LogFormatException {
    return new Noting(source.open());
  }

  /// The grants before `jsn` are not noted.
  @Override
  public LogReader open(long jsn, long at) throws IOException, LogFormatException {
    return new Noting(source.open(jsn, at));
  }

  @Override
  public Optional<Bytes> keyChain() throws IOException, LogFormatException {
    return source.keyChain();
  }

  @Override
  public Optional<Bytes> cosigned() throws IOException, LogFormatException {
    return source.cosigned();
  }

  /// Notes the grants that stay from below.
  @Override
  public Optional<PurgedStart> purged() throws IOException, LogFormatException {
    Optional<PurgedStart> purged = source.purged();
    if (purged.isPresent()) {
      try {
        PseudoGenesis file = PseudoGenesis.decode(purged.get().pseudoGenesis());
        Snapshot.decode(file.snapshot()).kept().forEach(each -> note(each.leaf()));
      } catch (MalformedException _) {
        // for who verifies it to find
      }
    }
    return purged;
  }

  @Override
  public Optional<InputStream> purgedClues() throws IOException, LogFormatException {
    return source.purgedClues();
  }

  @Override
  public Optional<InputStream> purgedState() throws IOException, LogFormatException {
    return source.purgedState();
  }

  @Override
  public Optional<ConsistencyProof> consistency(long from, long to)
      throws IOException, LogFormatException {
    return source.consistency(from, to);
  }

  @Override
  public Optional<Bytes> leafHashes(long index, int width) throws IOException, LogFormatException {
    return source.leafHashes(index, width);
  }

  private void note(Bytes leaf) {
    try {
      if (Leaf.decode(leaf) instanceof JournalLeaf journal
          && RequestHeader.decode(journal.header()).extension() instanceof Extension.Grant grant) {
        grant.certDigest().ifPresent(named::add);
      }
    } catch (MalformedException _) {
      // for the audit to find
    }
  }

  private final class Noting implements LogReader {
    private final LogReader log;

    Noting(LogReader log) {
      this.log = log;
    }

    @Override
    public StrandId strand() {
      return log.strand();
    }

    @Override
    public long size() {
      return log.size();
    }

    @Override
    public @Nullable LogEntry next() throws IOException, LogFormatException {
      LogEntry entry = log.next();
      if (entry != null) {
        note(entry.leaf());
      }
      return entry;
    }

    @Override
    public LogEnd end() throws IOException, LogFormatException {
      return log.end();
    }

    @Override
    public void close() throws IOException {
      log.close();
    }
  }
}
