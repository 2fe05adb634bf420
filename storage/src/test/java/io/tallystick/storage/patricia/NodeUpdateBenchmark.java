package io.tallystick.storage.patricia;

import io.tallystick.crypto.Keccak256;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.page.SlotLimits;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
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
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// Which way of updating nodes is faster, PhaseNU or LockNU, for which keys, and does the decision
/// model choose it? The update of nodes alone, without hashing: an edit is made anew each time and
/// left, so that the trie stays what it is.
///
/// A million keys are in the trie. `uniform`: 100,000 fresh ones, all keys evenly spread. `dense`:
/// 100,000 fresh ones, all keys consecutive numbers. `zipf`: the keys that 100,000 draws by Zipf's
/// law with exponent 0.99 name, which are in the trie. `block`: as `uniform`, 1,000 of them.
@State(Scope.Thread)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xmx3g", "-XX:+UseParallelGC", "-XX:+UseCompactObjectHeaders"})
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@NullUnmarked
public class NodeUpdateBenchmark {
  private static final int BASE = 1_000_000;
  private static final int BATCH = 100_000;
  private static final int BLOCK = 1000;
  private static final double EXPONENT = 0.99;
  private static final int VALUE_BYTES = 38;
  private static final StrandId STRAND = new StrandId(new LedgerId(Digest.ZERO), 0);

  @Param({"uniform", "dense", "zipf", "block"})
  private String keys;

  @Param({"PHASE_NU", "LOCK_NU"})
  private UpdateWay way;

  @Param({"1", "2"})
  private int workerCount;

  private final SplittableRandom random = new SplittableRandom(1);
  private Path directory;
  private Disk disk;
  private MetaStore meta;
  private Workers workers;
  private PatriciaStore store;
  private PatriciaTrie trie;
  private TrieBatch batch;

  public NodeUpdateBenchmark() {}

  @Setup(Level.Trial)
  public void fill() throws IOException, CorruptStreamException {
    directory = Files.createTempDirectory("patricia");
    disk = LocalDisk.open(directory);
    meta = RocksMetaStore.open(directory.resolve("meta"));
    workers = new Workers(workerCount, "bench");
    store =
        PatriciaStore.restore(
            disk, meta, workers, BatchHasher.cpu(), SlotLimits.DEFAULT, Integer.MAX_VALUE);
    trie = store.trie(STRAND);
    TrieBatch base = new TrieBatch(BASE);
    for (int number = 0; number < BASE; number++) {
      put(base, number);
    }
    trie.apply(base);
    batch = batch();
    batch.arrange();
    System.out.println("the model chooses " + UpdateChoice.of(batch, workerCount));
  }

  private TrieBatch batch() {
    TrieBatch made = new TrieBatch(BATCH);
    if (keys.equals("zipf")) {
      boolean[] drawn = new boolean[BASE];
      for (int i = 0; i < BATCH; i++) {
        drawn[zipf()] = true;
      }
      for (int number = 0; number < BASE; number++) {
        if (drawn[number]) {
          put(made, number);
        }
      }
    } else {
      int count = keys.equals("block") ? BLOCK : BATCH;
      for (int number = BASE; number < BASE + count; number++) {
        put(made, number);
      }
    }
    return made;
  }

  /// By inversion of the continuous law that Zipf's is near to.
  private int zipf() {
    double top = Math.pow(BASE, 1 - EXPONENT);
    double rank = Math.pow(1 + random.nextDouble() * (top - 1), 1 / (1 - EXPONENT));
    return Math.min(BASE - 1, (int) rank - 1);
  }

  private void put(TrieBatch into, int number) {
    byte[] value = new byte[VALUE_BYTES];
    random.nextBytes(value);
    into.put(key(number), 0, value);
  }

  private byte[] key(int number) {
    byte[] name = ByteBuffer.allocate(Digest.BYTES).putInt(Digest.BYTES - 4, number).array();
    return keys.equals("dense") ? name : Keccak256.hash(name).toArray();
  }

  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  @OutputTimeUnit(TimeUnit.MILLISECONDS)
  public Object update() throws IOException, CorruptStreamException {
    for (Trace trace : store.traces()) {
      trace.clear();
    }
    Edit edit = new Edit(store.nextEpoch(), trie.view().node(), batch, store.traces(), store::load);
    way.update().update(edit, workers);
    return edit.holder;
  }

  @TearDown(Level.Trial)
  public void close() throws IOException {
    store.close();
    workers.close();
    meta.close();
    disk.close();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
