package io.tallystick.client;

import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestDraft;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// Adds to a draft what makes it a request of this ledger: strand, times, salt, the client's own
/// count. Randomness is drawn once per batch. Thread-safe.
final class DraftMaker {
  private final StrandId strand;
  private final long windowMs;
  private final InstantSource clock;
  private final SecureRandom random;
  private final AtomicLong clientSeq = new AtomicLong();

  DraftMaker(StrandId strand, long windowMs, InstantSource clock, SecureRandom random) {
    this.strand = strand;
    this.windowMs = windowMs;
    this.clock = clock;
    this.random = random;
  }

  List<RequestDraft> append(List<JournalDraft> drafts) {
    long now = clock.millis();
    byte[] salts = new byte[Math.multiplyExact(drafts.size(), Limits.SALT_BYTES)];
    random.nextBytes(salts);
    long seq = clientSeq.getAndAdd(drafts.size());
    List<RequestDraft> requests = new ArrayList<>(drafts.size());
    for (JournalDraft draft : drafts) {
      Bytes salt = Bytes.copyOf(salts, requests.size() * Limits.SALT_BYTES, Limits.SALT_BYTES);
      requests.add(
          new RequestDraft(
              strand,
              Kind.APPEND,
              ++seq,
              now,
              now + windowMs,
              draft.payload(),
              draft.contentType(),
              draft.clues(),
              Extension.None.INSTANCE,
              salt,
              draft.ops()));
    }
    return requests;
  }

  RequestDraft clueDelete(String clue) {
    byte[] salt = new byte[Limits.SALT_BYTES];
    random.nextBytes(salt);
    long now = clock.millis();
    return RequestDraft.clueDelete(strand, clue, now, Bytes.wrap(salt))
        .withClientSeq(clientSeq.incrementAndGet())
        .withExpiry(now + windowMs);
  }

  RequestDraft govern(Kind kind, Extension extension) {
    return govern(kind, extension, windowMs);
  }

  /// @param validMs how long it can be submitted, 30 days at most
  RequestDraft govern(Kind kind, Extension extension, long validMs) {
    byte[] salt = new byte[Limits.SALT_BYTES];
    random.nextBytes(salt);
    long now = clock.millis();
    return RequestDraft.govern(strand, kind, extension, now, Bytes.wrap(salt))
        .withClientSeq(clientSeq.incrementAndGet())
        .withExpiry(now + validMs);
  }
}
