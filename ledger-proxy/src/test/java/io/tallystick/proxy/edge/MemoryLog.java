package io.tallystick.proxy.edge;

import io.tallystick.crypto.Sha256;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.node.BlockView;
import io.tallystick.node.Founding;
import io.tallystick.node.JournalView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The log of one ledger in memory: real leaves, one block a submission. Roots and receipts are
/// placeholders that name their size; the front hands them on and never reads them.
final class MemoryLog {
  final Founding founding;
  final List<JournalView> rows = new ArrayList<>();
  final List<BlockView> blocks = new ArrayList<>();

  MemoryLog(Founding founding, long timeMs) {
    this.founding = founding;
    Digest attestHash = Attestation.hash(founding.attestation());
    Bytes leaf = new GenesisLeaf(timeMs, 0, founding.paramsBytes(), attestHash).encode();
    rows.add(view(leaf, founding.attestation(), null));
    seal(0, timeMs);
  }

  /// @return the first jsn
  synchronized long append(VerifiedSubmission submission, long timeMs) {
    long first = rows.size();
    int count = submission.requests().size();
    for (int i = 0; i < count; i++) {
      SignedRequest request = submission.requests().get(i);
      Leaf leaf =
          new JournalLeaf(
              new Jsn(rows.size()), timeMs, request.header(), submission.attestHash(), i, count);
      rows.add(view(leaf.encode(), submission.attestationBytes(), request));
    }
    seal(first, timeMs);
    return first;
  }

  private JournalView view(
      Bytes leaf, @Nullable Bytes attestation, @Nullable SignedRequest request) {
    return new JournalView(
        rows.size(),
        leaf,
        attestation,
        request == null ? BodyState.NONE : BodyState.PRESENT,
        request == null ? null : request.salt(),
        request == null ? null : request.body(),
        request == null ? Bytes.EMPTY : request.ops(),
        null);
  }

  private void seal(long first, long timeMs) {
    long jsn = rows.size();
    Digest previous = blocks.isEmpty() ? Digest.ZERO : blocks.getLast().blockHash();
    Bytes leaf =
        SealLeaf.of(new Jsn(jsn), timeMs, blocks.size(), previous, new Jsn(first), root(jsn))
            .encode();
    rows.add(view(leaf, null, null));
    blocks.add(
        new BlockView(
            blocks.size(),
            first,
            jsn,
            timeMs,
            leaf,
            Leaf.hash(leaf),
            jsn + 1,
            root(jsn + 1),
            Bytes.utf8("head receipt at " + (jsn + 1))));
  }

  private static Digest root(long size) {
    return Sha256.hash(("root " + size).getBytes(StandardCharsets.UTF_8));
  }

  synchronized long size() {
    return rows.size();
  }

  synchronized JournalView row(long jsn) {
    return rows.get((int) jsn);
  }

  synchronized BlockView newest() {
    return blocks.getLast();
  }

  synchronized BlockView blockOf(long jsn) {
    return blocks.stream().filter(block -> jsn <= block.sealJsn()).findFirst().orElseThrow();
  }
}
