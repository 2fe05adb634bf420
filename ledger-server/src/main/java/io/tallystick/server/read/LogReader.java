package io.tallystick.server.read;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BundlePiece;
import io.tallystick.node.JournalView;
import io.tallystick.node.LogVisitor;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.FramePlace;
import io.tallystick.server.frame.PayloadItem;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.LeafBuilder;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Removals;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.tile.TileBundle;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/// Reads leaves back from the commit stream. Every leaf that is returned is rebuilt and compared
/// with the hash that the accumulator holds, and a body has a checksum, so that stored damage is
/// found here and never answered. Thread-safe.
public final class LogReader {
  private final CarriedJournals carried;
  private final StoredBlocks stored;
  private final RecentBlocks recent;
  private final JournalReads journals;
  private final BundleReader bundles;
  private final ReadFaults faults;

  public LogReader(StreamReader stream, BatchHasher hasher) {
    this(stream, hasher, CarriedJournals.NONE);
  }

  /// @param carried what purges leave readable
  public LogReader(StreamReader stream, BatchHasher hasher, CarriedJournals carried) {
    this.carried = carried;
    this.stored = new StoredBlocks(stream);
    this.recent = new RecentBlocks(stored);
    this.journals = new JournalReads(stored);
    this.bundles = new BundleReader(stored, recent, hasher);
    this.faults = new ReadFaults(stored);
  }

  /// Tells the operator of what reads meet.
  public ReadFaults faults() {
    return faults;
  }

  /// One leaf with all that belongs to it.
  ///
  /// @param withBody also refuses journals below a purge whose leaves are still there
  /// @throws RequestRejectedException `DAMAGED`, naming the jsn; `PURGED`
  public JournalView journal(StrandIndex strand, long jsn, boolean withBody)
      throws IOException, RequestRejectedException {
    JournalView view = unproven(strand, jsn, withBody);
    try {
      checked(strand, jsn, view.leaf());
      return view;
    } catch (CorruptStreamException e) {
      throw damaged(jsn, e);
    }
  }

  /// The same for a caller that proves the leaf by the log's root: it is not compared here.
  public JournalView unproven(StrandIndex strand, long jsn, boolean withBody)
      throws IOException, RequestRejectedException {
    return kept(
        strand,
        jsn,
        () -> {
          if (purged(strand, jsn, withBody).isEmpty()) {
            JournalView view = journals.read(strand, jsn, withBody);
            if (purged(strand, jsn, withBody).isEmpty()) { // it may be purged meanwhile
              return view;
            }
          }
          CarriedJournals.Carried journal = carried(strand, jsn, withBody);
          BodyState body = withBody && jsn > 0 ? BodyState.ERASED : BodyState.NONE;
          return new JournalView(
              jsn, journal.leaf(), journal.attestation(), body, null, null, Bytes.EMPTY, null);
        });
  }

  private interface Read<T> {
    T read() throws IOException, CorruptStreamException, RequestRejectedException;
  }

  /// A read of a leaf whose damage is none if a purge came meanwhile.
  private static <T> T kept(StrandIndex strand, long jsn, Read<T> read)
      throws IOException, RequestRejectedException {
    try {
      return read.read();
    } catch (CorruptStreamException e) {
      throw unlessPurged(strand, jsn, damaged(jsn, e));
    } catch (RequestRejectedException e) {
      throw e.code() == RejectionCode.DAMAGED ? unlessPurged(strand, jsn, e) : e;
    }
  }

  private static long firstLeaf(StrandIndex strand) {
    return strand.head().governance().removals().firstLeaf();
  }

  /// The refusal of a journal that a purge removed; empty if none did.
  ///
  /// @param withBody false: only its leaf is asked for, as evidence of what the tree holds
  private static Optional<RequestRejectedException> purged(
      StrandIndex strand, long jsn, boolean withBody) {
    Removals removals = strand.head().governance().removals();
    long first = withBody ? removals.firstKept() : removals.firstLeaf();
    return jsn < first ? Optional.of(removals.purged(jsn)) : Optional.empty();
  }

  private static void checkNotPurged(StrandIndex strand, long jsn, boolean withBody)
      throws RequestRejectedException {
    Optional<RequestRejectedException> refusal = purged(strand, jsn, withBody);
    if (refusal.isPresent()) {
      throw refusal.get();
    }
  }

  /// @throws RequestRejectedException `PURGED` if it is not carried
  private CarriedJournals.Carried carried(StrandIndex strand, long jsn, boolean withBody)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Optional<CarriedJournals.Carried> journal = carried.find(strand, jsn);
    if (journal.isEmpty()) {
      checkNotPurged(strand, jsn, withBody);
    }
    return journal.orElseThrow();
  }

  /// The operations that a journal wrote, for a caller that knows what its values commit to.
  ///
  /// @throws RequestRejectedException `DAMAGED`, naming the jsn; `ERASED`, naming that of the
  ///   occult
  public StoredWrites writes(StrandIndex strand, long jsn)
      throws IOException, RequestRejectedException {
    if (isErased(strand, jsn)) {
      throw erased(strand, jsn);
    }
    return kept(strand, jsn, () -> journals.writes(strand, jsn));
  }

  /// Bytes that {@link #writes} has to read of the stream, known without reading them. The
  /// journal's block is read if it was not lately, and then counts too.
  ///
  /// @throws RequestRejectedException `DAMAGED`, naming the jsn
  public long writesBytes(StrandIndex strand, long jsn)
      throws IOException, RequestRejectedException {
    return isErased(strand, jsn) ? 0 : kept(strand, jsn, () -> journals.writesBytes(strand, jsn));
  }

  /// A block as it is stored: what is in it is compared with nothing.
  public BlockInfo block(StrandIndex strand, BlockRow row)
      throws IOException, CorruptStreamException {
    return stored.block(strand.strand(), row);
  }

  /// The part of a journal that an occult erases.
  ///
  /// @param at its first byte
  /// @param bytes salt, body and checksum
  public record ErasablePart(Location at, int bytes) {}

  /// Where the erasable part of a journal lies.
  ///
  /// @throws RequestRejectedException `DAMAGED`, naming the jsn
  public ErasablePart erasable(StrandIndex strand, long jsn)
      throws IOException, RequestRejectedException {
    try {
      return journals.erasable(strand, jsn);
    } catch (CorruptStreamException e) {
      throw damaged(jsn, e);
    }
  }

  /// A leaf alone, for a caller that knows its hash: it is not compared here.
  ///
  /// @throws RequestRejectedException `DAMAGED`, naming the jsn
  public Bytes leaf(StrandIndex strand, long jsn) throws IOException, RequestRejectedException {
    return kept(
        strand,
        jsn,
        () ->
            jsn < firstLeaf(strand)
                ? carried(strand, jsn, false).leaf()
                : journals.leaf(strand, jsn));
  }

  /// Whether the key of a signer of a journal is delegated, as its leaf says; not of a seal.
  ///
  /// @throws RequestRejectedException `DAMAGED`, naming the jsn
  public boolean delegated(StrandIndex strand, long jsn)
      throws IOException, RequestRejectedException {
    try {
      return Leaf.decode(leaf(strand, jsn)) instanceof JournalLeaf leaf && leaf.delegated();
    } catch (MalformedException e) {
      throw damaged(jsn, String.valueOf(e.getMessage()));
    }
  }

  /// The block that has to be read before one of its journals can be.
  ///
  /// @param sealJsn its last leaf
  /// @param bytes of it, payloads apart
  public record BlockCost(long firstJsn, long sealJsn, int bytes) {
    public boolean holds(long jsn) {
      return firstJsn <= jsn && jsn <= sealJsn;
    }
  }

  public BlockCost cost(StrandIndex strand, long jsn) throws IOException, RequestRejectedException {
    checkKept(strand, jsn);
    return kept(
        strand,
        jsn,
        () -> {
          BlockPlan plan = journals.plan(strand, jsn);
          return new BlockCost(plan.row().firstJsn(), plan.row().sealJsn(), plan.infoBytes());
        });
  }

  /// Items of leaves `[from, to)` as a bundle of the public read path has them, or the first of
  /// them.
  ///
  /// @param to at most the sealed size, and not behind the end of the file that `from` is in
  /// @throws RequestRejectedException `DAMAGED`, naming the jsn
  public BundlePiece bundle(StrandIndex strand, TileBundle kind, long from, long to)
      throws IOException, RequestRejectedException {
    checkKept(strand, from);
    return kept(
        strand,
        from,
        () -> {
          try {
            return bundles.read(strand, kind, from, to);
          } catch (RequestRejectedException e) {
            recent.forget();
            throw e;
          }
        });
  }

  /// Visits the journals `[from, to)` that govern the ledger, among others, those of purged blocks
  /// too; without bodies.
  void walkGovernance(StrandIndex strand, long from, long to, LogVisitor visitor)
      throws IOException, RequestRejectedException {
    long kept = Math.max(from, firstLeaf(strand));
    try {
      for (var each :
          carried
              .of(strand)
              .subMap(from, true, Math.max(from, Math.min(to, kept)), false)
              .entrySet()) {
        CarriedJournals.Carried journal = each.getValue();
        visitor.leaf(
            each.getKey(),
            journal.leaf(),
            journal.attestation(),
            Bytes.EMPTY,
            BodyState.NONE,
            null,
            null);
      }
    } catch (CorruptStreamException e) {
      throw damaged(from, e);
    }
    if (kept < to) {
      walk(strand, kept, to, false, visitor);
    }
  }

  /// @throws RequestRejectedException `PURGED` if a purge removed that journal, also while its leaf
  ///   is still there
  public void checkReadable(StrandIndex strand, long jsn) throws RequestRejectedException {
    checkNotPurged(strand, jsn, true);
  }

  /// Walks leaves `[from, to)`, `to` at most the sealed size, as far as the visitor wants. Below a
  /// purge those come whose leaves are still there, without bodies.
  public void walk(StrandIndex strand, long from, long to, boolean withBodies, LogVisitor visitor)
      throws IOException, RequestRejectedException {
    long jsn = from;
    while (jsn < to) {
      checkKept(strand, jsn);
      try {
        jsn = walkBlock(strand, jsn, to, withBodies, visitor);
      } catch (CorruptStreamException e) {
        recent.forget();
        throw unlessPurged(strand, jsn, damaged(jsn, e));
      } catch (RequestRejectedException e) {
        recent.forget();
        throw e.code() == RejectionCode.DAMAGED ? unlessPurged(strand, jsn, e) : e;
      }
    }
  }

  /// @return the leaf to go on with; `to` if no more is wanted
  private long walkBlock(
      StrandIndex strand, long from, long to, boolean withBodies, LogVisitor visitor)
      throws IOException, CorruptStreamException, RequestRejectedException {
    RecentBlocks.Place place = recent.holding(strand, from);
    BlockRow row = place.row();
    BlockInfo block = recent.block(place);
    long end = Math.min(to, row.sealJsn());
    LeafHashes hashes = new LeafHashes(strand, from, Math.min(to, row.size()));
    PayloadRun payloads = new PayloadRun(stored, row, block);
    Digest attestHash = Digest.ZERO;
    int known = -1;
    for (long jsn = from; jsn < end; jsn++) {
      int journal = (int) (jsn - row.firstJsn());
      int submission = block.submissionOf(journal);
      Bytes attestation = null;
      if (submission != known) {
        attestation = block.attestation(submission);
        attestHash = Attestation.hash(attestation);
        known = submission;
      }
      Bytes leaf = hashes.checked(jsn, LeafBuilder.leaf(block, journal, attestHash));
      Bytes ops = SealedOps.of(strand, block, journal);
      boolean more;
      if (block.genesis() || !withBodies) {
        more = visitor.leaf(jsn, leaf, attestation, ops, BodyState.NONE, null, null);
      } else {
        byte[] item = item(payloads, block, journal, (int) (end - row.firstJsn()));
        BodyState state = bodyState(strand, jsn, item, row, block.payloadOffset(journal));
        if (state == BodyState.DAMAGED) {
          faults.damaged(
              strand.strand(), ReadFaults.damagedBody(stored, jsn, payloads.at(journal)));
        }
        boolean present = state == BodyState.PRESENT;
        Bytes salt = present ? salt(item) : null;
        more = visitor.leaf(jsn, leaf, attestation, ops, state, salt, present ? body(item) : null);
      }
      if (!more) {
        return to;
      }
    }
    if (to > row.sealJsn()) {
      Bytes seal = hashes.checked(row.sealJsn(), strand.sealLeaf(place.height(), row));
      boolean more =
          visitor.leaf(row.sealJsn(), seal, null, Bytes.EMPTY, BodyState.NONE, null, null);
      return more ? row.sealJsn() + 1 : to;
    }
    return end;
  }

  /// The removals are asked after the item was read: it may have been erased meanwhile.
  private static BodyState bodyState(
      StrandIndex strand, long jsn, byte[] item, BlockRow row, int offset) {
    boolean intact = PayloadItem.isIntact(item, row.frameNumber(), offset);
    if (isErased(strand, jsn)) {
      return BodyState.ERASED;
    }
    return intact ? BodyState.PRESENT : BodyState.DAMAGED;
  }

  private static byte[] item(PayloadRun payloads, BlockInfo block, int journal, int until)
      throws IOException, CorruptStreamException {
    int from = payloads.find(journal, until);
    return Arrays.copyOfRange(payloads.bytes(), from, from + block.payloadBytes(journal));
  }

  /// The accumulator's hashes of the leaves of a walk, read many at a time.
  private static final class LeafHashes {
    private static final int READ_MAX = 256;

    private final StrandIndex strand;
    private final long end;
    private byte[] hashes = new byte[0];
    private long first;

    /// @param first leaf that will be asked for; the others follow in order
    /// @param end no leaf from there on will be asked for
    LeafHashes(StrandIndex strand, long first, long end) {
      this.strand = strand;
      this.first = first;
      this.end = end;
    }

    Bytes checked(long jsn, Bytes leaf)
        throws IOException, CorruptStreamException, RequestRejectedException {
      if (jsn >= first + hashes.length / Digest.BYTES) {
        first = jsn;
        int count = (int) Math.min(READ_MAX, end - jsn);
        hashes = new byte[count * Digest.BYTES];
        strand.accumulator().leafHashes(first, count, hashes, 0);
      }
      Digest stored = Digest.of(hashes, (int) (jsn - first) * Digest.BYTES);
      return LogReader.checked(jsn, leaf, stored);
    }
  }

  /// The opening of a ledger's name, from its genesis block.
  ///
  /// @throws CorruptStreamException if its checksum is wrong
  public Bytes genesisPayload(FramePlace place, BlockInfo block)
      throws IOException, CorruptStreamException {
    Location at = new Location(place.frame(), place.payloadOffset() + block.payloadOffset(0));
    byte[] item = stored.read(at, block.payloadBytes(0));
    if (!PayloadItem.isIntact(item, place.number(), block.payloadOffset(0))) {
      throw stored.damaged(at, "checksum of a ledger's name is wrong");
    }
    return Bytes.copyOf(item, 0, item.length - Integer.BYTES);
  }

  static Bytes checked(StrandIndex strand, long jsn, Bytes leaf)
      throws IOException, CorruptStreamException, RequestRejectedException {
    return checked(jsn, leaf, strand.accumulator().leafHash(jsn));
  }

  static Bytes checked(long jsn, Bytes leaf, Digest stored) throws RequestRejectedException {
    if (!TreeHasher.leafHash(leaf).equals(stored)) {
      throw notSealed(jsn);
    }
    return leaf;
  }

  /// Whether the body of a journal is erased, or is to be.
  static boolean isErased(StrandIndex strand, long jsn) {
    return strand.head().governance().removals().isErased(jsn);
  }

  static RequestRejectedException erased(StrandIndex strand, long jsn) {
    long removal = strand.head().governance().removals().removalOf(jsn).orElse(jsn);
    return new RequestRejectedException(
            RejectionCode.ERASED,
            "the body of journal " + jsn + " was erased by journal " + removal)
        .atJsn(removal);
  }

  /// @throws RequestRejectedException `PURGED`, naming the purge, if the leaf of that jsn is gone
  static void checkKept(StrandIndex strand, long jsn) throws RequestRejectedException {
    checkNotPurged(strand, jsn, false);
  }

  /// The answer to a read that met damage: a purge may have come meanwhile.
  static RequestRejectedException unlessPurged(
      StrandIndex strand, long jsn, RequestRejectedException damage) {
    try {
      checkKept(strand, jsn);
      return damage;
    } catch (RequestRejectedException purged) {
      return purged;
    }
  }

  static RequestRejectedException notSealed(long jsn) {
    return damaged(jsn, "the stored leaf does not have the hash in the accumulator");
  }

  static Bytes salt(byte[] item) {
    return Bytes.copyOf(item, 0, PayloadItem.SALT_BYTES);
  }

  static Bytes body(byte[] item) {
    return Bytes.copyOf(
        item, PayloadItem.SALT_BYTES, item.length - PayloadItem.SALT_BYTES - Integer.BYTES);
  }

  static RequestRejectedException damaged(long jsn, String detail) {
    return new RequestRejectedException(
            RejectionCode.DAMAGED, "journal " + jsn + " is damaged: " + detail)
        .atJsn(jsn);
  }

  static RequestRejectedException damaged(long jsn, CorruptStreamException cause) {
    return damaged(jsn, String.valueOf(cause.getMessage()), cause);
  }

  static RequestRejectedException damaged(long jsn, String detail, CorruptStreamException cause) {
    return new RequestRejectedException(
            RejectionCode.DAMAGED, "journal " + jsn + " is damaged: " + detail, cause)
        .atJsn(jsn);
  }
}
