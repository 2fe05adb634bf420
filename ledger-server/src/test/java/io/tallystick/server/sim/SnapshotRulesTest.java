package io.tallystick.server.sim;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Sha256;
import io.tallystick.journal.Extension;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: the simulator believes no note that loses a snapshot. Method: rows of five snapshots, and
/// what a note makes of them.
class SnapshotRulesTest {
  private static final Bytes ROW = Bytes.utf8("row");

  private final SplittableRandom random = new SplittableRandom(1);
  private final SimPairs pairs =
      SimPairs.draw(new Authority("localhost"), random, (_, _) -> {}, (_, _) -> {});
  private final SimLedger ledger = new SimLedger(pairs, 0, random);
  private final NavigableMap<Bytes, Bytes> before = new TreeMap<>();
  private final NavigableMap<Bytes, Bytes> after = new TreeMap<>();

  @BeforeEach
  void keepFive() {
    for (int height = 1; height <= 5; height++) {
      before.put(key(height), ROW);
    }
    after.putAll(before);
  }

  private static Digest digest(long height) {
    return Sha256.hash(("snapshot of " + height).getBytes(StandardCharsets.UTF_8));
  }

  private Bytes key(long height) {
    return SnapshotRules.key(ledger, height, digest(height));
  }

  private void check() {
    new SnapshotRules(List.of(ledger)).check(before, after);
  }

  private void assertRefused(String why) {
    assertThatThrownBy(this::check).isInstanceOf(Violation.class).hasMessageContaining(why);
  }

  @Test
  void oneMoreMayTakeThePlaceOfTheLowest() {
    after.put(key(6), ROW);
    check();
    after.keySet().removeAll(List.of(key(1), key(2)));
    check();
  }

  @Test
  void oneMayBeMadeAgain() {
    after.put(key(3), Bytes.utf8("another object"));
    check();
  }

  @Test
  void asManyStayAsAreOffered() {
    after.remove(key(1)); // for one that was made again
    check();
    after.remove(key(2));
    assertRefused("are left of 5");
  }

  @Test
  void thereAreNotTwoMore() {
    after.put(key(6), ROW);
    after.put(key(7), ROW);
    assertRefused("2 snapshots of ");
  }

  @Test
  void theHighestStay() {
    after.put(key(6), ROW);
    after.remove(key(3));
    assertRefused(" are gone");
  }

  @Test
  void whatAPurgeNamesStays() {
    Extension.Purge purge = new Extension.Purge(new Jsn(9), 1, digest(1), 0);
    ledger.removed = ledger.removed.after(purge, Collections.emptySortedSet(), 20, 0);
    after.put(key(6), ROW);
    check();
    after.remove(key(1));
    assertRefused(" are gone");
  }

  @Test
  void eachIsOfALedger() {
    before.clear();
    after.clear();
    after.put(SnapshotRules.TABLE, ROW);
    assertRefused("are of no ledger");
  }
}
