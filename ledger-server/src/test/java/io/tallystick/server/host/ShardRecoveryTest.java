package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.BlockView;
import io.tallystick.node.JournalView;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a shard opens only on a stream that says what it always said; otherwise it says where it
/// does not, and signs nothing. Method: write a log, take the meta store of its beginning, so that
/// all of it is replayed, change stored bytes, open.
class ShardRecoveryTest {
  private static final int JOURNALS = 6;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore late = new InMemoryMetaStore();
  private final StoredStream stream = new StoredStream(disk);
  private final AtomicInteger signatures = new AtomicInteger();
  private final List<Receipted> receipts = new ArrayList<>();
  private final Fixtures fixtures = Fixtures.ledger();
  private InMemoryMetaStore early;
  private BlockView newest;

  /// The receipt key, counting what it signs.
  private final Signatures.Signer counting =
      new Signatures.Signer() {
        @Override
        public PublicKey publicKey() {
          return Fixtures.RECEIPT.publicKey();
        }

        @Override
        public byte[] sign(byte[] message) {
          signatures.incrementAndGet();
          return Fixtures.RECEIPT.sign(message);
        }
      };

  @BeforeEach
  void write() throws Exception {
    try (TestNode service = new TestNode(disk, late)) {
      early = late.copy();
      service.found();
      for (int i = 0; i < JOURNALS; i++) {
        receipts.add(service.append(fixtures.single(i)));
      }
      receipts.add(service.append(fixtures.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey())));
      receipts.add(service.append(fixtures.batch(100, 3)));
      newest = service.node.newestBlock(fixtures.strand());
    }
  }

  private TestNode replay() throws Exception {
    return new TestNode(disk, early, TestNode.CONFIG, new CpuBatchHasher(), counting);
  }

  private void refuses(String why) {
    assertThatThrownBy(this::replay)
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining(why);
    assertThat(signatures).as("signatures of a shard that did not open").hasValue(0);
  }

  /// The frame that holds a journal's block.
  private StoredStream.Frame frameOf(long jsn) throws Exception {
    for (StoredStream.Frame frame : stream.frames()) {
      for (BlockInfo block : new CommitFrame(stream.infos(frame), 0).blocks()) {
        if (block.firstJsn() <= jsn && jsn < block.sealJsn()) {
          return frame;
        }
      }
    }
    throw new AssertionError("no frame of " + jsn);
  }

  private static int blockStart(byte[] infos) {
    return new CommitFrame(infos, 0).blocks().getFirst().offset();
  }

  @Test
  void staysFencedHoweverOftenItIsStartedOnAnotherMetaStore() throws Exception {
    for (int i = 0; i < 3; i++) {
      new TestNode(disk, late).close(); // the stream is now some epochs on
    }
    InMemoryMetaStore empty = new InMemoryMetaStore();
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(() -> new TestNode(disk, empty))
          .isInstanceOf(StreamFencedException.class)
          .hasMessageContaining("the meta store knows 0");
    }
    new TestNode(disk, late).close();
  }

  @Test
  void replaysEverythingFromASavepointOlderThanAllFrames() throws Exception {
    try (TestNode service = replay()) {
      assertThat(signatures).as("signatures while replaying").hasValue(0);
      assertThat(service.node.newestBlock(fixtures.strand())).isEqualTo(newest);
      for (Receipted receipt : receipts) {
        service.verify(receipt);
        byte[] again =
            service.node.rangeReceipt(
                fixtures.strand(), receipt.committed().firstJsn(), receipt.committed().count());
        assertThat(Bytes.wrap(again)).isEqualTo(receipt.rangeReceipt());
      }
      assertThat(service.node.members(fixtures.strand().ledger()).members()).hasSize(3);
      assertThat(service.append(fixtures.batch(100, 3)).committed().repeated()).isTrue();
      assertThat(
              service
                  .append(fixtures.submission(fixtures.request(50), Fixtures.CAROL))
                  .committed()
                  .firstJsn())
          .isEqualTo(newest.size());
    }
  }

  @Test
  void stopsUnsignedWhenACommittedHeaderWasChangedAndItsChecksumsRepaired() throws Exception {
    StoredStream.Frame frame = frameOf(4);
    byte[] infos = stream.infos(frame);
    BlockInfo block = new CommitFrame(infos, 0).blocks().getFirst();
    infos[block.headerPosition(0) + block.headerBytes(0) - 5] ^= 1;
    stream.replaceInfos(frame, infos);
    refuses("fork guard");
  }

  @Test
  void stopsUnsignedWhenATimeWasChangedAndItsChecksumsRepaired() throws Exception {
    StoredStream.Frame frame = frameOf(6);
    byte[] infos = stream.infos(frame);
    infos[7] ^= 1;
    stream.replaceInfos(frame, infos);
    refuses("fork guard");
  }

  @Test
  void stopsWhenABlockDoesNotFollow() throws Exception {
    StoredStream.Frame frame = frameOf(4);
    byte[] infos = stream.infos(frame);
    infos[blockStart(infos) + 47] ^= 1; // firstJsn
    stream.replaceInfos(frame, infos);
    refuses("starts at");
  }

  @Test
  void stopsWhenABlockIsOfALedgerThatWasNeverFounded() throws Exception {
    StoredStream.Frame frame = frameOf(4);
    byte[] infos = stream.infos(frame);
    infos[blockStart(infos)] ^= 1;
    stream.replaceInfos(frame, infos);
    refuses("never founded");
  }

  @Test
  void stopsWhenAGuardIsOfALedgerThatIsNotHere() throws Exception {
    StoredStream.Frame guarding =
        stream.frames().stream()
            .filter(frame -> frame.header().number() > 0 && frame.header().infoBytes() >= 16 + 76)
            .findFirst()
            .orElseThrow();
    byte[] infos = stream.infos(guarding);
    assertThat(ByteBuffer.wrap(infos).getInt(8)).as("guards").isPositive();
    infos[16] ^= 1;
    stream.replaceInfos(guarding, infos);
    refuses("no ledger");
  }

  @Test
  void stopsWhenAnInfoSectionInTheMiddleIsDamaged() throws Exception {
    StoredStream.Frame frame = frameOf(4);
    disk.flipBit(frame.segment(), frame.infos() + 30, 3);
    refuses("is bad, but frame");
  }

  @Test
  void cutsADamagedLastFrame() throws Exception {
    StoredStream.Frame last = stream.frames().getLast();
    disk.flipBit(last.segment(), last.infos() + 5, 3);
    try (TestNode service = replay()) {
      assertThat(service.node.newestBlock(fixtures.strand())).isEqualTo(newest);
      assertThat(service.append(fixtures.single(99)).committed().firstJsn())
          .isEqualTo(newest.size());
    }
  }

  /// Whatever a repaired info section says, the shard opens or names the damage; it neither runs
  /// out of memory nor looks elsewhere.
  @Seeded(runs = 60)
  void namesDamageWithRepairedChecksums(SplittableRandom random) throws Exception {
    List<StoredStream.Frame> frames = stream.frames();
    StoredStream.Frame frame = frames.get(random.nextInt(frames.size()));
    byte[] infos = stream.infos(frame);
    int at = random.nextInt(infos.length / 4) * 4;
    int word = random.nextBoolean() ? random.nextInt() : 1 << random.nextInt(32);
    ByteBuffer.wrap(infos).putInt(at, ByteBuffer.wrap(infos).getInt(at) ^ word);
    stream.replaceInfos(frame, infos);
    try (TestNode service = replay()) {
      assertThat(service.node).isNotNull();
    } catch (CorruptStreamException named) {
      assertThat(signatures).hasValue(0);
    }
  }

  /// Reading looks at info sections without their checksum; a damaged offset is named all the same.
  @Seeded(runs = 60)
  void namesTheJournalWhoseStoredBlockIsDamaged(SplittableRandom random) throws Exception {
    StoredStream.Frame frame = frameOf(4);
    byte[] infos = stream.infos(frame);
    int start = blockStart(infos);
    try (TestNode service = new TestNode(disk, late)) {
      byte[] content = disk.content(frame.segment());
      int at = start + random.nextInt((infos.length - start) / 4) * 4;
      ByteBuffer damaged = ByteBuffer.wrap(content).position(frame.infos() + at).slice();
      byte[] word = new byte[4];
      ByteBuffer.wrap(word).putInt(0, damaged.getInt(0) ^ 1 << random.nextInt(32));
      disk.overwrite(frame.segment(), frame.infos() + at, word);
      try {
        JournalView view = service.node.journal(fixtures.strand(), 4, true);
        assertThat(view.body()).as("body at %d", at).isNotNull();
      } catch (RequestRejectedException refusal) {
        assertThat(refusal.code()).isEqualTo(RejectionCode.DAMAGED);
        assertThat(refusal.jsn()).hasValue(4);
      }
      assertThat(service.node.journal(fixtures.strand(), 2, true).bodyState())
          .isEqualTo(BodyState.PRESENT);
    }
  }

  @Test
  void keepsTimeWhenTheClockWentBackAnHour() throws Exception {
    try (TestNode service = new TestNode(disk, late)) {
      service.clock.addAndGet(-3_600_000);
      Receipted receipt = service.append(fixtures.single(200));
      assertThat(receipt.committed().timeMs()).isEqualTo(newest.timeMs());
      assertThat(service.node.timeMs()).isEqualTo(newest.timeMs());
    }
  }
}
