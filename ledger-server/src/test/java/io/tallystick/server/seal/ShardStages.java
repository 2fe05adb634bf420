package io.tallystick.server.seal;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerName;
import io.tallystick.server.frame.BlockDraft;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.frame.CommitFrameWriter;
import io.tallystick.server.frame.FramePlace;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.ReplayRows;
import io.tallystick.server.saved.TimeRows;
import io.tallystick.server.sequencer.Input;
import io.tallystick.server.sequencer.ReplayTable;
import io.tallystick.server.sequencer.Sequencer;
import io.tallystick.server.sequencer.Step;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.server.world.Governance;
import io.tallystick.server.world.LedgerGenesis;
import io.tallystick.storage.accumulator.Accumulator;
import io.tallystick.storage.accumulator.NodeCache;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.stage.Shape;
import io.tallystick.testkit.stage.Submissions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/// What does a verified journal cost the shard, stage by stage, on one thread? `StageBudget` in
/// benchmarks runs it and divides by the journals. All submissions of a shape make one block.
@State(Scope.Thread)
@NullUnmarked
public class ShardStages {
  /// Genesis and its seal stand before the block.
  private static final int FIRST_JSN = 2;

  @Param({"BATCH", "SINGLES"})
  public Shape shape;

  private final LedgerGenesis ledger = ledger();
  private final Sequencer sequencer =
      new Sequencer(
          new ReplayTable(75_000_000),
          new NoteRows(new InMemoryMetaStore()),
          0,
          (_, rotation, _) -> {
            throw new AssertionError(rotation);
          },
          (_, _, _) -> {});
  private final CommitFrameWriter writer = new CommitFrameWriter();
  private final FrameBuffer frame = new FrameBuffer();
  private final LeafBuilder leaves = new LeafBuilder(BatchHasher.cpu());
  private final Evidence evidence =
      new Evidence(
          new HeadSigner(Submissions.LEDGER.params().authority(), Fixtures.NOTE, Fixtures.RECEIPT));
  private List<Append> inputs;
  private List<BlockDraft> blocks;
  private CommitFrame written;
  private byte[] leafHashes;
  private Path directory;
  private Disk disk;
  private MetaStore meta;
  private ArrayStore arrays;
  private Accumulator growing;
  private StrandIndex strand;
  private BlockRow row;

  public ShardStages() {}

  private record Append(VerifiedSubmission submission, long sizeBytes)
      implements Input.Append<Append> {
    @Override
    public ShardStages.Append self() {
      return this;
    }

    @Override
    public void refuse(RequestRejectedException refusal) {
      throw new AssertionError("a good submission is refused", refusal);
    }

    @Override
    public void fail(Throwable cause) {
      throw new AssertionError(cause);
    }
  }

  private static LedgerGenesis ledger() {
    GenesisParams params = Submissions.LEDGER.params();
    return new LedgerGenesis(
        params.ledgerId(),
        params.encode(),
        params,
        new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME));
  }

  @Setup
  public void prepare() throws Exception {
    SubmissionVerifier verifier = new SubmissionVerifier(shape.signatures(), Set.of());
    inputs = new ArrayList<>();
    for (Submissions.Signed signed : Submissions.of(shape)) {
      inputs.add(
          new Append(
              verifier.verify(
                  Submissions.strand(),
                  signed.requests(),
                  signed.attestation(),
                  Submissions.keys()),
              400));
    }
    sequencer.restore(new StrandHead(ledger, FIRST_JSN, 1, Governance.ofGenesis(ledger.params())));
    Step<Append> step = sequencer.step(inputs, Fixtures.TIME_MS);
    step.refused().forEach(each -> each.input().refuse(each.refusal()));
    blocks = List.copyOf(step.blocks());
    writer.write(frame, 7, step.timeMs(), List.of(), blocks);
    written = new CommitFrame(frame.infos().array(), frame.infos().arrayBase());
    leafHashes = leaves.leafHashes(written.blocks().getFirst());
    sequencer.undo(step);
  }

  @Setup(Level.Iteration)
  public void open() throws Exception {
    directory = Files.createTempDirectory("shard-stages");
    disk = LocalDisk.open(directory);
    meta = RocksMetaStore.open(directory.resolve("meta"));
    arrays = new ArrayStore(disk, meta, ArrayLimits.DEFAULT);
    growing =
        Accumulator.restore(arrays, meta, Submissions.strand(), BatchHasher.cpu(), new NodeCache());
    strand = strand();
    row = strand.apply(written.blocks().getFirst(), new FramePlace(0, 7, frame.infoBytes()));
    row =
        row.signed(
            new HeadSigner(ledger.params().authority(), Fixtures.NOTE, Fixtures.RECEIPT)
                .sign(
                    strand.head().members().service().keys(),
                    strand.strand(),
                    row.size(),
                    row.headRoot()));
  }

  /// A strand after its genesis block.
  private StrandIndex strand() throws Exception {
    Accumulator accumulator =
        Accumulator.restore(
            arrays,
            meta,
            new StrandId(Submissions.strand().ledger(), 1),
            BatchHasher.cpu(),
            new NodeCache());
    accumulator.append(Digest.ZERO);
    accumulator.append(Digest.ZERO);
    SealedHead head =
        new SealedHead(
            FIRST_JSN,
            1,
            Fixtures.TIME_MS,
            Digest.ZERO,
            accumulator.root(),
            SealedIndex.empty(Feature.CLUE_TRIE),
            SealedIndex.empty(Feature.STATE_FOREST),
            Governance.ofGenesis(ledger.params()));
    return new StrandIndex(
        Submissions.strand(),
        ledger,
        accumulator,
        null,
        leaves,
        List.of(),
        null,
        _ -> {},
        _ -> {},
        new StrandTimes(Submissions.strand(), new TimeRows(meta)),
        head,
        false);
  }

  /// Undone each time, which is part of the figure.
  @Benchmark
  public void sequence() {
    sequencer.undo(sequencer.step(inputs, Fixtures.TIME_MS));
  }

  @Benchmark
  public void layOutFrame() {
    writer.write(frame, 7, Fixtures.TIME_MS, List.of(), blocks);
  }

  @Benchmark
  public byte[] leafHashes() {
    return leaves.leafHashes(written.blocks().getFirst());
  }

  @Benchmark
  public Digest accumulate() throws Exception {
    growing.append(leafHashes, 0, shape.journals());
    return growing.root();
  }

  @Benchmark
  public ReplayRows replayRows() {
    ReplayRows rows = new ReplayRows();
    rows.add(written.blocks().getFirst());
    return rows;
  }

  @Benchmark
  public void rangeReceipts(Blackhole hole) throws Exception {
    int first = FIRST_JSN;
    for (int i = 0; i < shape.submissions(); i++) {
      hole.consume(evidence.rangeReceipt(strand, row, first, shape.journalsEach()));
      first += shape.journalsEach();
    }
  }

  @TearDown(Level.Iteration)
  public void close() throws Exception {
    growing.close();
    strand.accumulator().close();
    arrays.close();
    meta.close();
    disk.close();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
