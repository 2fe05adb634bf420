package io.tallystick.audit.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Digest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: leaves and clue entries are what was added, in memory, in a file, and after both. Method:
/// more rows than fit, with as much memory as one test says, read in every order.
class ReplayRemovalRowsTest {
  private static final int LEAVES = 7_001;
  private static final int CLUES = 3;

  @TempDir private Path folder;

  private static Digest hash(long number) {
    return Sha256.hash(Long.toString(number).getBytes(StandardCharsets.US_ASCII));
  }

  private static void fill(ReplayRemovalRows rows, int from, int to) throws Exception {
    for (int jsn = from; jsn < to; jsn++) {
      rows.addLeaf(jsn % 26, hash(jsn).toArray(), 0);
      rows.addClue(jsn, hash(-1 - jsn % CLUES).toArray(), 0);
    }
  }

  private static void assertHas(ReplayRemovalRows rows, int first) throws Exception {
    for (int jsn = LEAVES - 1; jsn >= first; jsn -= 13) {
      assertThat(rows.kind(jsn)).isEqualTo(jsn % 26);
      assertThat(rows.leafHash(jsn)).isEqualTo(hash(jsn));
    }
    List<Long> want = new ArrayList<>();
    for (int jsn = 5_000; jsn <= 6_900; jsn++) {
      if (jsn % CLUES == 1) {
        want.add((long) jsn);
      }
    }
    ReplayJsnSet found = rows.journals(hash(-2), 5_000, 6_900);
    List<Long> all = new ArrayList<>();
    for (long jsn = found.next(0); jsn != ReplayJsnSet.NONE; jsn = found.next(jsn + 1)) {
      all.add(jsn);
    }
    assertThat(all).isEqualTo(want);
    assertThat(rows.journals(hash(5), 0, LEAVES).isEmpty()).isTrue();
    assertThat(rows.journals(hash(-1), 5_001, 5_001).isEmpty()).isFalse();
    assertThat(rows.journals(hash(-1), 5_002, 5_002).isEmpty()).isTrue();
  }

  @Test
  void holdsWhatWasAddedWithAnyMemory() throws Exception {
    for (long bytes : new long[] {0, 500_000, 64 << 20}) {
      try (ReplayRemovalRows rows = new ReplayRemovalRows(new ReplayMemory(bytes, folder))) {
        fill(rows, 0, LEAVES);
        assertHas(rows, 0);
        fill(rows, LEAVES, LEAVES + 5_000);
        assertHas(rows, 0);
      }
    }
  }

  @Test
  void readsWhatItWrote() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ReplayRemovalRows rows = new ReplayRemovalRows(new ReplayMemory(0, folder))) {
      rows.beginAt(4_000);
      fill(rows, 4_000, LEAVES);
      rows.occulted().add(4_100);
      rows.waiting().add(6_000);
      rows.writeTo(new DataOutputStream(bytes));
      assertHas(rows, 4_000);
    }
    try (ReplayRemovalRows rows = new ReplayRemovalRows(new ReplayMemory(200_000, folder))) {
      rows.readFrom(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
      assertThat(rows.firstJsn()).isEqualTo(4_000);
      assertThat(rows.occulted().contains(4_100)).isTrue();
      assertThat(rows.waiting().contains(6_000)).isTrue();
      assertHas(rows, 4_000);
    }
  }
}
