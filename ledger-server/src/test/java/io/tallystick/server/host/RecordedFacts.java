package io.tallystick.server.host;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.Member;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What a shard is after a replay, line by line: of each ledger all blocks with their roots and
/// signed heads, members, keys and times; and the rows that notes write.
final class RecordedFacts {
  /// The tables of notes.
  private static final List<String> NOTED = List.of("b", "g", "n", "q", "x", "z", "I", "R");

  private RecordedFacts() {}

  static List<String> of(TestNode service) throws Exception {
    List<String> lines = new ArrayList<>();
    for (LedgerId id : service.node.shard().sequencer().ledgers(null)) {
      add(lines, service.node, id);
    }
    for (String table : NOTED) {
      addRows(lines, service, Bytes.utf8(table));
    }
    return lines;
  }

  private static void add(List<String> lines, LedgerNode node, LedgerId id) throws Exception {
    StrandId strand = new StrandId(id, 0);
    lines.add(
        String.format(
            Locale.ROOT,
            "ledger %s size %d note %s keys %s",
            id,
            node.newestSize(strand),
            hash(Bytes.wrap(node.checkpoint(strand))),
            hash(node.keyChain(id).encode())));
    long height = node.newestBlock(strand).height();
    for (long each = 0; each <= height; each++) {
      BlockView block = node.blockAt(strand, each);
      lines.add(
          String.format(
              Locale.ROOT,
              "block %d leaves %d to %d time %d seal %s hash %s size %d root %s head %s",
              each,
              block.firstJsn(),
              block.sealJsn(),
              block.timeMs(),
              hash(block.sealLeaf()),
              block.blockHash().hex(),
              block.size(),
              block.root().hex(),
              hash(block.headReceipt())));
    }
    node.members(id).members().stream().map(RecordedFacts::line).sorted().forEach(lines::add);
    lines.add(
        String.format(
            Locale.ROOT,
            "time %s",
            node.timeJournals().orElseThrow().lastAt(strand, Long.MAX_VALUE)));
  }

  private static String line(Member member) {
    return String.format(
        Locale.ROOT,
        "member %s %s %d %d %d %s %s",
        member.key().kid().hex(),
        member.role(),
        member.addedJsn(),
        member.grantedJsn(),
        member.revokedJsn(),
        member.terms(),
        member.replacedBy());
  }

  private static void addRows(List<String> lines, TestNode service, Bytes table)
      throws IOException {
    for (Map.Entry<Bytes, Bytes> row :
        service.node.shard().noteRows().withPrefix(table).entrySet()) {
      lines.add(String.format(Locale.ROOT, "row %s %s", row.getKey().hex(), hash(row.getValue())));
    }
  }

  private static String hash(Bytes of) {
    return Sha256.hash(of.toArray()).hex();
  }
}
