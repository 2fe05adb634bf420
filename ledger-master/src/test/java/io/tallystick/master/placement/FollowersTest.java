package io.tallystick.master.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Which servers follow shards, as each of them finds out by itself.
class FollowersTest {
  private static final int SHARDS = 200;
  private static final Set<String> SERVERS = Set.of("a", "b", "c", "d");

  private static List<Optional<String>> followers(String writer, Set<String> servers) {
    return IntStream.range(0, SHARDS)
        .mapToObj(shard -> Followers.of(shard, writer, servers))
        .toList();
  }

  @Test
  void theWriterNeverFollowsItself() {
    assertThat(followers("a", SERVERS)).doesNotContain(Optional.of("a"));
    assertThat(followers("a", Set.of("a"))).containsOnly(Optional.empty());
    assertThat(followers("gone", Set.of("b"))).containsOnly(Optional.of("b"));
  }

  @Test
  void shardsAreFollowedByAll() {
    for (String server : List.of("b", "c", "d")) {
      long its = followers("a", SERVERS).stream().filter(Optional.of(server)::equals).count();
      assertThat(its).as(server).isBetween((long) SHARDS / 5, (long) SHARDS / 2);
    }
  }

  @Test
  void whatAServerDoesNotFollowStaysWhereItIsWhenItGoes() {
    Set<String> left = new TreeSet<>(SERVERS);
    left.remove("d");
    List<Optional<String>> before = new ArrayList<>(followers("a", SERVERS));
    List<Optional<String>> after = new ArrayList<>(followers("a", left));
    for (int shard = 0; shard < SHARDS; shard++) {
      if (!before.get(shard).equals(Optional.of("d"))) {
        assertThat(after.get(shard)).isEqualTo(before.get(shard));
      }
    }
  }
}
