package io.tallystick.server.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.evidence.Anchor;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptAnchors;
import io.tallystick.server.note.TestNotes;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the nearest anchor is found, no member and no ledger has more than it may, and after a
/// restart the same ones are there. Method: a table over RocksDB and frames, of which a savepoint
/// holds the first.
class AnchorTableTest {
  private static final LedgerId LEDGER = Fixtures.ledger().params().ledgerId();
  private static final StrandId STRAND = new StrandId(LEDGER, 0);
  private static final Set<Digest> SIGNERS =
      Stream.concat(
              Stream.of(Fixtures.ALICE, Fixtures.BOB),
              IntStream.rangeClosed(0, KeptAnchors.PER_STRAND_MAX)
                  .mapToObj(i -> SeededSigner.ed25519("anchor " + i)))
          .map(signer -> signer.publicKey().kid())
          .collect(Collectors.toSet());

  private static final StrandId OTHER = new StrandId(new LedgerId(Digest.ZERO), 0);

  @TempDir private Path directory;
  private RocksMetaStore meta;
  private TestNotes notes;
  private AnchorTable table;

  @BeforeEach
  void open() throws Exception {
    meta = RocksMetaStore.open(directory.resolve("meta"));
    notes = TestNotes.over(meta, () -> 0, _ -> Optional.empty());
    table = AnchorTable.open(notes.rows(), notes);
  }

  @AfterEach
  void close() throws Exception {
    meta.close();
  }

  private void restart() throws Exception {
    notes.savepoint(1);
    meta.close();
    meta = RocksMetaStore.open(directory.resolve("meta"));
    notes = notes.reopened(meta);
    table = AnchorTable.open(notes.rows(), notes);
    notes.replay();
  }

  private static KeptAnchor anchor(StrandId strand, long size, Signer signer) {
    Anchor anchor = new Anchor(strand, new TreeSize(size), new JournalRoot(Digest.ZERO));
    return new KeptAnchor(anchor, signer.publicKey().kid(), anchor.sign(signer));
  }

  private Optional<Long> nearest(long size) throws Exception {
    return table.nearest(STRAND, size, SIGNERS).map(kept -> kept.anchor().size().value());
  }

  @Test
  void findsTheNearestAlsoAfterARestart() throws Exception {
    KeptAnchor alices = anchor(STRAND, 10, Fixtures.ALICE);
    table.keep(alices);
    table.keep(anchor(STRAND, 20, Fixtures.BOB));
    table.keep(anchor(OTHER, 15, Fixtures.ALICE));
    for (int i = 0; i < 2; i++) {
      assertThat(nearest(9)).isEmpty();
      assertThat(nearest(10)).contains(10L);
      assertThat(nearest(19)).contains(10L);
      assertThat(nearest(20)).contains(20L);
      assertThat(nearest(Long.MAX_VALUE)).contains(20L);
      assertThat(table.nearest(STRAND, 30, Set.of(alices.kid())))
          .as("of those whose signer counts")
          .contains(alices);
      restart();
    }
  }

  @Test
  void theSmallestOfAMemberGivesWay() throws Exception {
    table.keep(anchor(STRAND, 1, Fixtures.BOB));
    for (int i = 0; i <= KeptAnchors.PER_MEMBER_MAX; i++) {
      table.keep(anchor(STRAND, 2 + i, Fixtures.ALICE));
      table.keep(anchor(STRAND, 2 + i, Fixtures.ALICE));
    }
    restart();
    assertThat(nearest(2)).as("Alice's first gave way, Bob's did not").contains(1L);
    assertThat(nearest(3)).contains(3L);
  }

  @Test
  void theSmallestOfALedgerGivesWay() throws Exception {
    for (int i = 0; i <= KeptAnchors.PER_STRAND_MAX; i++) {
      table.keep(anchor(STRAND, 10L + i, SeededSigner.ed25519("anchor " + i)));
    }
    restart();
    assertThat(nearest(10)).isEmpty();
    assertThat(nearest(11)).contains(11L);
  }

  @Test
  void refusesToOpenOverWhatIsNoAnchor() throws Exception {
    AnchorRow place = new AnchorRow(STRAND, 10, Digest.ZERO);
    meta.write(new MetaBatch().put(place.key(), Bytes.utf8("x")));
    assertThatThrownBy(() -> AnchorTable.open(notes.rows(), notes))
        .isInstanceOf(CorruptStreamException.class);
    meta.write(new MetaBatch().delete(place.key()));
    Bytes cut = place.key().slice(0, 60);
    meta.write(new MetaBatch().put(cut, AnchorRow.encode(Bytes.utf8("x"))));
    assertThatThrownBy(() -> AnchorTable.open(notes.rows(), notes))
        .isInstanceOf(CorruptStreamException.class);
  }
}
