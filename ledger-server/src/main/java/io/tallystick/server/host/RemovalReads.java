package io.tallystick.server.host;

import io.tallystick.journal.JournalRef;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.Erasure;
import io.tallystick.node.JournalView;
import io.tallystick.removal.ErasureStatement;
import io.tallystick.removal.RemovalCertificate;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.read.KeyChains;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.world.JsnSet;
import io.tallystick.server.world.NewestTime;
import io.tallystick.server.world.Occult;
import io.tallystick.server.world.Purge;
import io.tallystick.server.world.Removals;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;

/// Reads of evidence that something was removed. Thread-safe.
final class RemovalReads {
  private final Shard shard;
  private final HeadSigner signer;

  RemovalReads(Shard shard, HeadSigner signer) {
    this.shard = shard;
    this.signer = signer;
  }

  /// @throws RequestRejectedException `OUT_OF_RANGE` if the body of that journal is not erased
  Erasure erasure(StrandIndex strand, long jsn)
      throws IOException, CorruptStreamException, RequestRejectedException {
    checkExists(strand, jsn);
    long removal = removalOf(strand, jsn);
    JournalView journal = shard.log().journal(strand, removal, false);
    return new Erasure(
        removal,
        shard.evidence().receiptFile(strand, journal),
        Objects.requireNonNull(journal.attestation()),
        doneMs(strand.strand(), removal));
  }

  private static void checkExists(StrandIndex strand, long jsn) throws RequestRejectedException {
    long size = strand.head().size();
    if (jsn < 0 || jsn >= size) {
      throw StrandReads.outOfRange("leaf", jsn, size);
    }
  }

  private static long removalOf(StrandIndex strand, long jsn) throws RequestRejectedException {
    return strand
        .head()
        .governance()
        .removals()
        .removalOf(jsn)
        .orElseThrow(() ->
            new RequestRejectedException(
                RejectionCode.OUT_OF_RANGE, "the body of journal " + jsn + " is not erased"));
  }

  private OptionalLong doneMs(StrandId strand, long removal)
      throws IOException, CorruptStreamException {
    try {
      return shard.tables().erasures().doneMs(strand.ledger(), removal);
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "done row of " + strand, removal, String.valueOf(e.getMessage()));
    }
  }

  /// The certificate of a removal, or of the one that erased a journal.
  ///
  /// @param jsn of the removal or of the journal
  /// @throws RequestRejectedException `OUT_OF_RANGE` if it is neither; `UNAVAILABLE` until all that
  ///   the removal names is erased; `PURGED` if the leaves that an occult's shows are gone
  Bytes certificate(StrandIndex strand, long jsn)
      throws IOException, CorruptStreamException, RequestRejectedException {
    checkExists(strand, jsn);
    Removals removals = strand.head().governance().removals();
    boolean named = removals.occultAt(jsn).isPresent() || removals.purgeAt(jsn).isPresent();
    long removal = named ? jsn : removalOf(strand, jsn);
    OptionalLong doneMs = doneMs(strand.strand(), removal);
    if (doneMs.isEmpty()) {
      throw new RequestRejectedException(
              RejectionCode.UNAVAILABLE, "not all that removal " + removal + " names is erased yet")
          .atJsn(removal);
    }
    LogReader log = shard.log();
    Evidence evidence = shard.evidence();
    JournalView journal = log.journal(strand, removal, false);
    Extent extent = extent(removals, removal);
    List<Bytes> targets = new ArrayList<>();
    PrimitiveIterator.OfLong named100 = extent.targets().from(0);
    while (named100.hasNext() && targets.size() < RemovalCertificate.TARGETS_MAX) {
      JournalView target = target(strand, removal, named100.nextLong());
      targets.add(evidence.receiptFile(strand, target));
    }
    ErasureStatement statement =
        new ErasureStatement(
            strand.strand(),
            new JournalRef(new Jsn(removal), strand.accumulator().leafHash(removal)),
            doneMs.getAsLong(),
            new Jsn(extent.first()),
            extent.count());
    return new RemovalCertificate(
            strand.ledger().paramsBytes(),
            signer.state(strand.head().members().service(), statement),
            evidence.receiptFile(strand, journal),
            Objects.requireNonNull(journal.attestation()),
            targets,
            coveringTime(strand, removal),
            new KeyChains(evidence, log).of(strand, journal).encode())
        .encode();
  }

  /// A journal that an occult erased: a certificate shows its leaf.
  private JournalView target(StrandIndex strand, long occult, long jsn)
      throws IOException, RequestRejectedException {
    try {
      return shard.log().journal(strand, jsn, false);
    } catch (RequestRejectedException e) {
      if (e.code() != RejectionCode.PURGED) {
        throw e;
      }
      throw new RequestRejectedException(
              RejectionCode.PURGED,
              String.format(
                  Locale.ROOT,
                  "no certificate of occult %d can be made any more: %s",
                  occult,
                  e.getMessage()),
              e)
          .atJsn(e.jsn().orElse(jsn))
          .withLimit(e.limit().orElse(jsn));
    }
  }

  /// The journals that a removal erased.
  ///
  /// @param targets of an occult; none of a purge
  private record Extent(long first, long count, JsnSet targets) {}

  private static Extent extent(Removals removals, long removal) {
    Optional<Occult> occult = removals.occultAt(removal);
    if (occult.isPresent()) {
      JsnSet journals = occult.get().journals();
      return new Extent(journals.first(), journals.count(), journals);
    }
    long first = 0;
    for (Purge purge : removals.purges()) {
      if (purge.jsn() == removal) {
        return new Extent(first, purge.firstKept() - first, JsnSet.EMPTY);
      }
      first = purge.firstKept();
    }
    throw new AssertionError("journal " + removal + " is no removal");
  }

  private Optional<Bytes> coveringTime(StrandIndex strand, long removal)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Optional<NewestTime> newest = strand.head().governance().newestTime();
    if (newest.isEmpty() || newest.get().size() <= removal) {
      return Optional.empty();
    }
    JournalView time = shard.log().journal(strand, newest.get().jsn(), false);
    return Optional.of(shard.evidence().receiptFile(strand, time));
  }
}
