package io.tallystick.server.sequencer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.Limits;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.testkit.Seeded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: the replay table answers as a map of unexpired ids would, whatever was put, removed,
/// expired and swept, and however ids crowd. Method: seeded random operations beside a HashMap.
class ReplayTableTest {
  private static final long BOUND_BYTES = 4096L * 32;

  private record Id(long high, long low) {}

  private record Entry(long jsn, int signers, long expiresMs) {}

  private final ReplayTable table = new ReplayTable(BOUND_BYTES);
  private final Map<Id, Entry> oracle = new HashMap<>();
  private final List<Id> seen = new ArrayList<>();
  private long nowMs = 1_000_000;

  /// Few home slots, so that runs collide, wrap around and overlap.
  private static Id randomId(SplittableRandom random) {
    long home = random.nextInt(4) == 0 ? random.nextInt(1 << 14) : 1020 + random.nextInt(8);
    return new Id(home << 32, random.nextInt(1 << 20));
  }

  private void step(SplittableRandom random) {
    switch (random.nextInt(10)) {
      case 0 -> remove(seen.isEmpty() ? randomId(random) : pick(random));
      case 1 -> nowMs += random.nextInt(40);
      case 2 -> {
        table.sweep(nowMs);
        assertThat(table.entries()).isLessThanOrEqualTo(seen.size());
      }
      default ->
          put(
              random.nextInt(20) == 0 && !seen.isEmpty() ? pick(random) : randomId(random),
              new Entry(
                  random.nextLong(1L << 40), 1 + random.nextInt(16), nowMs + random.nextInt(300)));
    }
  }

  private Id pick(SplittableRandom random) {
    return seen.get(random.nextInt(seen.size()));
  }

  private void put(Id id, Entry entry) {
    if (table.hasRoom(1)) {
      table.put(id.high, id.low, entry.jsn, entry.signers, entry.expiresMs);
      oracle.put(id, entry);
      seen.add(id);
    }
  }

  private void remove(Id id) {
    table.remove(id.high, id.low);
    oracle.remove(id);
  }

  private void check(Id id) {
    Entry expected = oracle.get(id);
    int slot = table.find(id.high, id.low, nowMs);
    if (expected == null || expected.expiresMs < nowMs) {
      assertThat(slot).as("%s at %d", id, nowMs).isEqualTo(ReplayTable.NOT_FOUND);
    } else {
      assertThat(slot).as("%s at %d", id, nowMs).isNotEqualTo(ReplayTable.NOT_FOUND);
      assertThat(table.firstJsn(slot)).isEqualTo(expected.jsn);
      assertThat(table.signers(slot)).isEqualTo(expected.signers);
    }
  }

  @Seeded(runs = 20)
  void answersAsAMapOfUnexpiredIdsWould(SplittableRandom random) {
    for (int i = 0; i < 6000; i++) {
      step(random);
      check(seen.isEmpty() || random.nextBoolean() ? randomId(random) : pick(random));
    }
    seen.forEach(this::check);
  }

  @Seeded(runs = 5)
  void losesNothingWhenEverythingExpiredIsSweptAway(SplittableRandom random) {
    for (int i = 0; i < 2000; i++) {
      step(random);
    }
    for (int i = 0; i < 64; i++) {
      table.sweep(nowMs);
    }
    oracle.values().removeIf(entry -> entry.expiresMs < nowMs);
    assertThat(table.entries()).isEqualTo(oracle.size());
    seen.forEach(this::check);
  }

  /// Ids spread over many parts, which grow, as real ones do.
  @Seeded(runs = 3)
  void answersAsAMapOverManyParts(SplittableRandom random) {
    ReplayTable large = new ReplayTable(32L << 15);
    Map<Id, Entry> expected = new HashMap<>();
    for (int i = 0; i < 16_000; i++) {
      Id id = new Id(random.nextLong(), random.nextLong());
      Entry entry = new Entry(i, 1 + random.nextInt(255), nowMs + random.nextInt(1000));
      assertThat(large.hasRoom(1)).isTrue();
      large.put(id.high, id.low, entry.jsn, entry.signers, entry.expiresMs);
      expected.put(id, entry);
    }
    long later = nowMs + 500;
    for (int i = 0; i < 64; i++) {
      large.sweep(later);
    }
    expected.values().removeIf(entry -> entry.expiresMs < later);
    assertThat(large.entries()).isEqualTo(expected.size());
    expected.forEach((id, entry) -> {
      int slot = large.find(id.high, id.low, later);
      assertThat(slot).isNotEqualTo(ReplayTable.NOT_FOUND);
      assertThat(large.firstJsn(slot)).isEqualTo(entry.jsn);
      assertThat(large.signers(slot)).isEqualTo(entry.signers);
      large.remove(id.high, id.low);
      assertThat(large.find(id.high, id.low, later)).isEqualTo(ReplayTable.NOT_FOUND);
    });
    assertThat(large.entries()).isZero();
  }

  /// Frames may be rare: what has expired must go with the time, not with the number of frames.
  @Test
  void sweepsMoreTheLongerItWasNotAsked() {
    ReplayTable large = new ReplayTable(32L << 20);
    SplittableRandom random = new SplittableRandom(1);
    while (large.hasRoom(1)) {
      large.put(random.nextLong(), random.nextLong(), 1, 1, nowMs);
    }
    for (int i = 1; i <= 40; i++) {
      large.sweep(nowMs + i * 100L);
    }
    assertThat(large.entries()).isZero();
  }

  @Test
  void hasRoomUpToHalfOfItsMemory() {
    long added = 0;
    while (table.hasRoom(1)) {
      table.put(added << 32, added, added, 1, nowMs);
      added++;
    }
    assertThat(added).isEqualTo(2048);
    assertThat(table.hasRoom(1)).isFalse();
    for (int i = 0; i < 8; i++) {
      table.sweep(nowMs + 1);
    }
    assertThat(table.entries()).isZero();
    assertThat(table.hasRoom(2048)).isTrue();
  }

  /// More could not be judged by an auditor, less would refuse what one can.
  @Test
  void holdsInProductionWhatAnAuditorCanKeep() {
    ReplayTable production = new ReplayTable(ShardConfig.defaults().requests().replayBytesMax());
    assertThat(production.hasRoom(Limits.OPEN_SIGNATURES_MAX)).isTrue();
    assertThat(production.hasRoom(Limits.OPEN_SIGNATURES_MAX + 1)).isFalse();
  }

  /// A replay restores ids faster than it sweeps: it must not keep the shard from opening.
  @Test
  void takesWhatWasRecordedEvenBeyondItsBound() {
    for (long i = 0; i < 10_000; i++) {
      table.put(i << 32, i, i, 2, nowMs);
    }
    assertThat(table.entries()).isEqualTo(10_000);
    assertThat(table.hasRoom(1)).isFalse();
    for (long i = 0; i < 10_000; i++) {
      assertThat(table.firstJsn(table.find(i << 32, i, nowMs))).isEqualTo(i);
    }
  }
}
