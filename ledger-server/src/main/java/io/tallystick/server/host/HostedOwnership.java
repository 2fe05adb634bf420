package io.tallystick.server.host;

import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.shard.Ownership;
import io.tallystick.server.shard.SharedOwnership;
import io.tallystick.server.ship.FetchedFolder;
import io.tallystick.server.ship.PublishedSavepoint;
import io.tallystick.server.ship.SavepointFetcher;
import io.tallystick.server.ship.SavepointManifest;
import io.tallystick.server.ship.SavepointRefusedException;
import io.tallystick.server.ship.ShippedEnd;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ownership of a shard whose savepoints are shipped: a folder that lacks what was erased since is
/// filled with the newest of them.
final class HostedOwnership implements Ownership {
  private static final Logger LOG = LoggerFactory.getLogger(HostedOwnership.class);

  private final StreamId shard;
  private final SharedOwnership owner;
  private final FetchedFolder folder;
  private final FolderRows rows;
  private final SavepointFetcher fetcher;
  private final ShippedEnd end;

  /// @param end of what the shard's shipper has shipped
  HostedOwnership(
      StreamId shard,
      SharedOwnership owner,
      FetchedFolder folder,
      FolderRows rows,
      SavepointFetcher fetcher,
      ShippedEnd end) {
    this.shard = shard;
    this.owner = owner;
    this.folder = folder;
    this.rows = rows;
    this.fetcher = fetcher;
    this.end = end;
  }

  @Override
  public boolean isShared() {
    return owner.isShared();
  }

  @Override
  public boolean isOurs() throws IOException {
    return owner.isOurs();
  }

  @Override
  public void checkEnd(long lastFrame) throws IOException {
    owner.checkEnd(lastFrame);
  }

  @Override
  public void confirmed(long frame) {
    owner.confirmed(frame);
  }

  @Override
  public long shippedTo() {
    return end.frame();
  }

  /// Fetches a savepoint if the one here is older than all that are kept: frames behind it may be
  /// erased, and there are many. One that cannot be fetched now is left: the stream may have all.
  void prepare() throws IOException, CorruptStreamException {
    StreamPosition here = SavepointRow.of(rows).position();
    try {
      List<PublishedSavepoint> kept = fetcher.published();
      if (kept.isEmpty() || here.number() >= kept.getLast().position().number()) {
        return;
      }
      fetch();
    } catch (IOException | SavepointRefusedException e) {
      LOG.warn(
          "shard {}: no savepoint was fetched, the one here ends before frame {}: {}",
          shard.shard(),
          here.number(),
          e.toString());
      return;
    }
    rows.change(folder::settle);
  }

  @Override
  public boolean fetchSavepoint(StreamPosition at) throws IOException {
    try {
      List<PublishedSavepoint> kept = fetcher.published();
      if (kept.isEmpty() || kept.getFirst().position().number() <= at.number()) {
        return false;
      }
      fetch();
    } catch (SavepointRefusedException | CorruptStreamException e) {
      throw new IOException("shard " + shard.shard() + ": " + e.getMessage(), e);
    }
    rows.change(folder::settle);
    return true;
  }

  /// Beside what is there.
  private void fetch() throws IOException, SavepointRefusedException, CorruptStreamException {
    long began = System.nanoTime();
    SavepointManifest fetched = folder.fetch(fetcher);
    LOG.info(
        "shard {}: a shipped savepoint was fetched, {} bytes in {} ms; it ends before frame {}",
        shard.shard(),
        fetched.bytes(),
        (System.nanoTime() - began) / 1_000_000,
        fetched.position().number());
  }
}
