package io.tallystick.bench.stage;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.accumulator.Accumulator;
import io.tallystick.storage.accumulator.NodeCache;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// How many leaves a second does one core append, a thousand at a time with a savepoint every
/// 100,000, on a real disk; how near is that to the hashing alone; and what does an inclusion proof
/// of a random leaf cost in a tree that has been saved?
@State(Scope.Thread)
@Fork(1)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
@NullUnmarked
public class AccumulatorBenchmark {
  private static final int BATCH = 1000;
  private static final int BATCHES_PER_SAVEPOINT = 100;
  private static final int PROVEN_LEAVES = 1_000_000;

  private final byte[] leafHashes = new byte[BATCH * Digest.BYTES];
  private final byte[] scratch = new byte[BATCH * Digest.BYTES];
  private final BatchHasher hasher = BatchHasher.cpu();
  private final SplittableRandom random = new SplittableRandom(1);
  private Path directory;
  private Disk disk;
  private MetaStore meta;
  private ArrayStore arrays;
  private Accumulator growing;
  private Accumulator proven;
  private int batches;

  public AccumulatorBenchmark() {}

  @Setup(Level.Iteration)
  public void open() throws IOException, CorruptStreamException {
    random.nextBytes(leafHashes);
    directory = Files.createTempDirectory("accumulator");
    disk = LocalDisk.open(directory);
    meta = RocksMetaStore.open(directory.resolve("meta"));
    arrays = new ArrayStore(disk, meta, ArrayLimits.DEFAULT);
    growing = restore(0);
    proven = restore(1);
    for (int done = 0; done < PROVEN_LEAVES; done += BATCH) {
      proven.append(leafHashes, 0, BATCH);
    }
    savepoint(proven);
  }

  private Accumulator restore(int strand) throws IOException, CorruptStreamException {
    StrandId id = new StrandId(new LedgerId(Digest.ZERO), strand);
    return Accumulator.restore(arrays, meta, id, hasher, new NodeCache());
  }

  private void savepoint(Accumulator accumulator) throws IOException, CorruptStreamException {
    MetaBatch batch = new MetaBatch();
    accumulator.savepoint(batch);
    meta.write(batch);
  }

  @Benchmark
  @BenchmarkMode(Mode.Throughput)
  @OperationsPerInvocation(BATCH)
  public Digest append() throws IOException, CorruptStreamException {
    growing.append(leafHashes, 0, BATCH);
    if (++batches % BATCHES_PER_SAVEPOINT == 0) {
      savepoint(growing);
    }
    return growing.root();
  }

  @Benchmark
  @BenchmarkMode(Mode.Throughput)
  @OperationsPerInvocation(BATCH)
  public byte[] hashingAlone() {
    for (int done = 0; done < BATCH; done += BATCH / 2) {
      hasher.parents(leafHashes, 0, BATCH / 2, scratch, 0);
    }
    return scratch;
  }

  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  @OutputTimeUnit(TimeUnit.MICROSECONDS)
  public InclusionProof inclusion() throws IOException, CorruptStreamException {
    return proven.inclusion(random.nextInt(PROVEN_LEAVES), PROVEN_LEAVES);
  }

  @TearDown(Level.Iteration)
  public void close() throws IOException {
    growing.close();
    proven.close();
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
