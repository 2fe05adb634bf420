package io.tallystick.storage.replicated;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.SegmentHeader;
import io.tallystick.storage.stream.SegmentSink;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Puts a stream of segment files into a shard in which nothing was written. Each file becomes a
/// log, byte for byte, so that whatever names a place in the stream goes on naming it. One
/// thread's. Source: `docs/formats/replicated.md`, "Segment files".
public final class StreamImport {
  /// Segments listed in one change.
  private static final int TOGETHER = 64;

  /// The name under which imports claim: no server's.
  private static final String CLAIMANT = "~import";

  /// Entries that are under way at once.
  private static final int UNDER_WAY = 16;

  private final ReplicatedLogs logs;
  private final Coordination coordination;
  private final ClusterPaths paths;
  private final ShardClaims claims;
  private final ReplicatedSettings settings;
  private final RandomGenerator nonces;
  private final StreamId shard;
  private final SegmentTable table;

  /// @param claims made by {@link #claims(Coordination, ClusterPaths, RandomGenerator)}
  /// @param shard that gets the stream
  public StreamImport(
      ReplicatedLogs logs,
      Coordination coordination,
      ClusterPaths paths,
      ShardClaims claims,
      ReplicatedSettings settings,
      RandomGenerator nonces,
      StreamId shard) {
    this.logs = logs;
    this.coordination = coordination;
    this.paths = paths;
    this.claims = claims;
    this.settings = settings;
    this.nonces = nonces;
    this.shard = shard;
    this.table = new SegmentTable(coordination, paths, shard);
  }

  /// Whether segments of the shard are listed, and all those of a stream among them.
  ///
  /// @throws ShardNotEmptyException if another stream is in the shard
  public boolean holdsAllOf(StreamReader stream)
      throws IOException, CorruptStreamException, ShardNotEmptyException {
    Map<Integer, Long> nonceOf = new HashMap<>();
    for (ListedSegment each : table.read(0)) {
      nonceOf.put(each.number(), each.record().frames());
    }
    int there = 0;
    for (StreamReader.Segment segment : stream.segments()) {
      Long nonce = nonceOf.get(segment.number());
      if (nonce != null && nonce != headerOf(stream, segment).nonce()) {
        throw new ShardNotEmptyException(shard);
      }
      there += nonce == null ? 0 : 1;
    }
    if (there == 0 && !nonceOf.isEmpty()) {
      throw new ShardNotEmptyException(shard);
    }
    return there > 0 && there == stream.segments().size();
  }

  /// Whether files of another stream are listed. None of this one ever was, then: a shard takes the
  /// files of one stream alone. Segments that servers wrote tell nothing.
  public boolean isOfAnother(StreamReader stream) throws IOException, CorruptStreamException {
    Map<Integer, StreamReader.Segment> its = new HashMap<>();
    for (StreamReader.Segment each : stream.segments()) {
      its.put(each.number(), each);
    }
    for (ListedSegment each : table.read(0)) {
      StreamReader.Segment own = its.get(each.number());
      if (each.record().isFile()
          && (own == null || headerOf(stream, own).nonce() != each.record().frames())) {
        return true;
      }
    }
    return false;
  }

  /// Claims of imports: no server claims the shard behind one.
  public static ShardClaims claims(
      Coordination coordination, ClusterPaths paths, RandomGenerator nonces) {
    return new ShardClaims(
        coordination, paths, new ShardClaims.Server(CLAIMANT, "", ShardOwner.CLOSED), nonces);
  }

  /// Makes the shard if there is none, and claims it; no server claims it before {@link #open}.
  ///
  /// @param epoch of the newest writer of the stream: the claim's is higher
  /// @throws ShardNotEmptyException if a server has claimed it before, or it goes on in another
  ///   cluster
  public ShardClaim claim(long epoch)
      throws IOException, CorruptStreamException, ShardNotEmptyException {
    ShardClaims.foundClosed(coordination, paths, shard, nonces);
    ShardClaims.Seen over =
        claims
            .owner(shard)
            .orElseThrow(() ->
                new StreamFencedException(
                    String.format(Locale.ROOT, "there is no shard %d", shard.shard())));
    Optional<String> successor = over.owner().successor();
    if (successor.isPresent()) {
      throw new ShardNotEmptyException(shard, successor.get());
    }
    if (over.owner().epoch() > 0 && !over.owner().server().equals(CLAIMANT)) {
      throw new ShardNotEmptyException(shard);
    }
    return claims.claim(shard, over, Math.max(over.owner().epoch(), epoch) + 1);
  }

  /// Whether servers may claim the shard.
  public boolean isOpen() throws IOException, CorruptStreamException {
    return claims.owner(shard).filter(seen -> !seen.owner().isClosed()).isPresent();
  }

  /// Lets servers claim the shard, which has all that it shall have.
  ///
  /// @param stateFormat of its savepoint
  public void open(int stateFormat)
      throws IOException, CorruptStreamException, ShardNotEmptyException {
    if (!isOpen()) {
      claims.open(claim(0), stateFormat);
    }
  }

  /// Copies all segments into logs, then lists them; what an earlier call under another claim has
  /// listed goes.
  ///
  /// @param watch hears how many bytes were copied
  /// @throws ShardNotEmptyException if another stream is in the shard
  public void put(ShardClaim claim, StreamReader stream, Watch watch)
      throws IOException, CorruptStreamException, ShardNotEmptyException {
    OwnedStream owned =
        new OwnedStream(logs, paths, claims.changes(claim), settings, nonces, () -> 0);
    var _ = holdsAllOf(stream);
    dropEarlier(owned);
    List<ListedSegment> made = new ArrayList<>();
    for (StreamReader.Segment segment : stream.segments()) {
      made.add(copy(owned, stream, segment, watch));
    }
    claims.confirm(claim); // another import may have claimed the shard meanwhile
    watch.listing();
    for (int from = 0; from < made.size(); from += TOGETHER) {
      owned.list(made.subList(from, Math.min(made.size(), from + TOGETHER)));
    }
  }

  /// Hears how far it has come.
  @FunctionalInterface
  public interface Watch {
    void copied(long bytes) throws IOException;

    /// All is copied, and is listed next.
    default void listing() throws IOException {}
  }

  private void dropEarlier(OwnedStream owned) throws IOException, CorruptStreamException {
    List<ListedSegment> earlier = table.read(0);
    for (int from = 0; from < earlier.size(); from += TOGETHER) {
      List<ListedSegment> some = earlier.subList(from, Math.min(earlier.size(), from + TOGETHER));
      owned.drop(some);
      for (ListedSegment each : some) {
        owned.delete(each.record().log());
      }
    }
  }

  private ListedSegment copy(
      OwnedStream owned, StreamReader stream, StreamReader.Segment segment, Watch watch)
      throws IOException, CorruptStreamException {
    OwnedStream.Made made = owned.make();
    Pieces pieces = new Pieces(made.log(), segment, watch);
    long next = stream.copy(segment, Set.of(), pieces);
    pieces.finish();
    made.log().close();
    SegmentHeader header = pieces.header();
    SegmentRecord record =
        new SegmentRecord(
            made.log().log(),
            owned.epoch(),
            header.firstFrame(),
            header.bytesBefore(),
            0,
            made.quorum(),
            made.isThin() || made.log().isThin(),
            true,
            settings.pieceBytes(),
            header.nonce(),
            new SegmentRecord.End(pieces.written, pieces.written - SegmentHeader.BYTES, next),
            owned.nonce());
    return new ListedSegment(segment.number(), record, 0);
  }

  private static SegmentHeader headerOf(StreamReader stream, StreamReader.Segment segment)
      throws IOException, CorruptStreamException {
    HeaderAlone header = new HeaderAlone(segment);
    long _ =
        stream.copy(
            new StreamReader.Segment(segment.number(), segment.firstFrame(), SegmentHeader.BYTES),
            Set.of(),
            header);
    return header.header();
  }

  /// Takes the header of a segment.
  private static class HeaderAlone implements SegmentSink {
    private final StreamReader.Segment segment;
    private @Nullable SegmentHeader header;

    HeaderAlone(StreamReader.Segment segment) {
      this.segment = segment;
    }

    @Override
    public void header(ByteBuffer bytes) throws IOException {
      try {
        header = SegmentHeader.decode(bytes.duplicate(), segment.number());
      } catch (MalformedException e) {
        throw new IOException("segment " + segment.number() + ": " + e.getMessage(), e);
      }
    }

    SegmentHeader header() {
      if (header == null) {
        throw new AssertionError("a segment has a header");
      }
      return header;
    }

    @Override
    public void frame(long number, ByteBuffer bytes, int infoBytes) throws IOException {}

    @Override
    public void damaged(long number, long position) {}
  }

  /// Cuts a file into entries.
  private final class Pieces extends HeaderAlone {
    private final LogWriter log;
    private final Watch watch;
    private final Deque<PendingAdd> underWay = new ArrayDeque<>();
    private ByteBuffer piece = ByteBuffer.allocate(settings.pieceBytes());
    private long written;

    Pieces(LogWriter log, StreamReader.Segment segment, Watch watch) {
      super(segment);
      this.log = log;
      this.watch = watch;
    }

    @Override
    public void header(ByteBuffer bytes) throws IOException {
      super.header(bytes);
      write(bytes.duplicate());
    }

    @Override
    public void frame(long number, ByteBuffer bytes, int infoBytes) throws IOException {
      write(bytes.duplicate());
    }

    private void write(ByteBuffer bytes) throws IOException {
      written += bytes.remaining();
      watch.copied(bytes.remaining());
      while (bytes.hasRemaining()) {
        int count = Math.min(piece.remaining(), bytes.remaining());
        piece.put(bytes.slice(bytes.position(), count));
        bytes.position(bytes.position() + count);
        if (!piece.hasRemaining()) {
          add();
        }
      }
    }

    private void add() throws IOException {
      underWay.add(log.add(piece.flip()));
      piece = ByteBuffer.allocate(settings.pieceBytes());
      if (underWay.size() == UNDER_WAY) {
        long _ = underWay.remove().await();
      }
    }

    void finish() throws IOException {
      if (piece.position() > 0) {
        add();
      }
      while (!underWay.isEmpty()) {
        long _ = underWay.remove().await();
      }
    }
  }
}
