package io.tallystick.cluster.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Sha256;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.TimeRead;
import io.tallystick.node.UnanchoredHead;
import io.tallystick.note.Checkpoint;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Goal: pages of all shards' heads are those of one list, and shards look through little more than
/// what is asked for. Method: shards in memory that count what they give.
class MergedHeadsTest {
  private static final int SHARDS = 16;
  private static final int HEADS = 1_000;

  private final List<List<UnanchoredHead>> heads = new ArrayList<>();
  private final List<LedgerNode> owners = new ArrayList<>();
  private final List<UnanchoredHead> all = new ArrayList<>();
  private int given;

  private void fill(int count, int shards) {
    for (int i = 0; i < SHARDS; i++) {
      heads.add(new ArrayList<>());
      owners.add(owner(i));
    }
    for (int i = 0; i < count; i++) {
      Digest hash = Sha256.hash(("ledger " + i).getBytes(StandardCharsets.UTF_8));
      UnanchoredHead head =
          new UnanchoredHead(
              new StrandId(new LedgerId(hash), 0),
              new Checkpoint("origin", new TreeSize(2), new JournalRoot(Digest.ZERO)),
              true,
              1,
              0);
      heads.get(i % shards).add(head);
      all.add(head);
    }
    Comparator<UnanchoredHead> order = Comparator.comparing(each -> each.strand().ledger());
    all.sort(order);
    heads.forEach(each -> each.sort(order));
  }

  private LedgerNode owner(int shard) {
    return (LedgerNode)
        Proxy.newProxyInstance(
            LedgerNode.class.getClassLoader(),
            new Class<?>[] {LedgerNode.class},
            (_, _, arguments) -> {
              TimeRead.Unanchored read = (TimeRead.Unanchored) arguments[0];
              List<UnanchoredHead> page =
                  heads.get(shard).stream()
                      .filter(each ->
                          read.after().isEmpty()
                              || each.strand().ledger().compareTo(read.after().get().ledger()) > 0)
                      .limit(read.limit())
                      .toList();
              given += page.size();
              return page;
            });
  }

  private List<UnanchoredHead> pages(int limit) throws RequestRejectedException {
    List<UnanchoredHead> read = new ArrayList<>();
    Optional<StrandId> after = Optional.empty();
    while (true) {
      List<UnanchoredHead> page = MergedHeads.of(owners, new TimeRead.Unanchored(after, limit));
      read.addAll(page);
      if (page.size() < limit) {
        return read;
      }
      after = Optional.of(page.getLast().strand());
    }
  }

  @Test
  void pagesAreThoseOfOneList() throws Exception {
    fill(HEADS, SHARDS);
    for (int limit : new int[] {1, 2, 17, 100, 999, 1_000, 5_000}) {
      assertThat(pages(limit)).as("pages of %d", limit).isEqualTo(all);
    }
  }

  @Test
  void oneShardMayHaveThemAll() throws Exception {
    fill(HEADS, 1);
    assertThat(pages(100)).isEqualTo(all);
  }

  @Test
  void littleMoreIsLookedThroughThanIsAskedFor() throws Exception {
    fill(HEADS, SHARDS);
    given = 0;
    assertThat(pages(100)).hasSize(HEADS);
    assertThat(given).isLessThan(3 * HEADS);
  }

  @Test
  void thoseWhoDoNotAnswerAreLeftOutUnlessNobodyDoes() throws Exception {
    fill(HEADS, 2);
    LedgerNode silent =
        (LedgerNode)
            Proxy.newProxyInstance(
                LedgerNode.class.getClassLoader(),
                new Class<?>[] {LedgerNode.class},
                (_, _, _) -> {
                  throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "silent");
                });
    owners.set(1, silent);
    assertThat(pages(100)).isEqualTo(heads.getFirst());
    owners.clear();
    assertThatThrownBy(() -> pages(100)).hasMessage("no shard has an owner");
    owners.add(silent);
    assertThatThrownBy(() -> pages(100)).hasMessage("silent");
  }
}
