package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.ProvenTime;
import io.tallystick.node.TimeJournals;
import io.tallystick.server.seal.TimeRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The time journals of a log as an auditor sees them, but for their tokens.
final class TimeChain {
  private TimeChain() {}

  /// Each names the one before and a head that an earlier block left since then.
  ///
  /// @return their jsns
  static List<Long> check(LedgerNode node, StrandId strand, String when) throws Exception {
    List<Long> found = new ArrayList<>();
    Optional<JournalRef> newest = Optional.empty();
    long end = node.newestSize(strand);
    for (long jsn = 2; jsn < end; jsn++) {
      Bytes leaf = node.journal(strand, jsn, false).leaf();
      if (Leaf.decode(leaf) instanceof JournalLeaf journal
          && RequestHeader.decode(journal.header()).extension() instanceof Extension.Time time) {
        assertThat(time.previous()).as("previous of %d, %s", jsn, when).isEqualTo(newest);
        BlockView block = node.blockOf(strand, time.size().value() - 1);
        assertThat(block.size()).as("size of %d, %s", jsn, when).isEqualTo(time.size().value());
        assertThat(block.root()).as("root of %d, %s", jsn, when).isEqualTo(time.root().digest());
        assertThat(block.size())
            .as("size of %d, %s", jsn, when)
            .isGreaterThan(found.isEmpty() ? 1 : found.getLast())
            .isLessThanOrEqualTo(node.blockOf(strand, jsn).firstJsn());
        newest = Optional.of(new JournalRef(new Jsn(jsn), TreeHasher.leafHash(leaf)));
        found.add(jsn);
      }
    }
    return found;
  }

  /// The index by proven time holds each of these, and no other.
  static void checkIndex(LedgerNode node, StrandId strand, List<Long> jsns, String when)
      throws Exception {
    TimeJournals times = node.timeJournals().orElseThrow();
    ProvenTime latest = null;
    for (long jsn : jsns) {
      JournalLeaf leaf = (JournalLeaf) Leaf.decode(node.journal(strand, jsn, false).leaf());
      long provenMs = TimeRequest.genTimeMs(RequestHeader.decode(leaf.header()));
      assertThat(times.lastAt(strand, provenMs))
          .as("time of %d, %s", jsn, when)
          .contains(new ProvenTime(jsn, provenMs));
      latest = new ProvenTime(jsn, provenMs);
    }
    assertThat(times.lastAt(strand, Long.MAX_VALUE))
        .as(when)
        .isEqualTo(Optional.ofNullable(latest));
  }
}
