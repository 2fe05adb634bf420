package io.tallystick.audit.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Goal: a set of jsns is one, whatever comes and goes. Method: the same in a set of Java's
/// library.
class ReplayJsnSetTest {
  private static final long SEED = 20_261_125;

  private static List<Long> all(ReplayJsnSet set) {
    List<Long> found = new ArrayList<>();
    for (long jsn = set.next(0); jsn != ReplayJsnSet.NONE; jsn = set.next(jsn + 1)) {
      found.add(jsn);
    }
    return found;
  }

  @Test
  void isTheSetOfWhatWasAddedAndNotRemoved() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    ReplayJsnSet set = new ReplayJsnSet();
    TreeSet<Long> want = new TreeSet<>();
    for (int i = 0; i < 20_000; i++) {
      long jsn = random.nextInt(4) == 0 ? random.nextLong(1L << 40) : random.nextLong(100_000);
      if (random.nextInt(3) == 0) {
        assertThat(set.remove(jsn)).isEqualTo(want.remove(jsn));
      } else {
        assertThat(set.add(jsn)).isEqualTo(want.add(jsn));
      }
    }
    assertThat(set.count()).isEqualTo(want.size());
    assertThat(all(set)).containsExactlyElementsOf(want);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    set.writeTo(new DataOutputStream(bytes));
    ReplayJsnSet read = new ReplayJsnSet();
    read.readFrom(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    assertThat(all(read)).containsExactlyElementsOf(want);
    assertThat(read.count()).isEqualTo(want.size());
  }

  @Test
  void findsTheEdgesOfWordsAndPages() {
    ReplayJsnSet set = new ReplayJsnSet();
    List<Long> edges = List.of(0L, 63L, 64L, 32_767L, 32_768L, 65_535L, 1L << 50);
    edges.forEach(set::add);
    assertThat(all(set)).isEqualTo(edges);
    assertThat(set.next(65)).isEqualTo(32_767);
    assertThat(set.next((1L << 50) + 1)).isEqualTo(ReplayJsnSet.NONE);
    assertThat(new ReplayJsnSet().next(0)).isEqualTo(ReplayJsnSet.NONE);
  }
}
