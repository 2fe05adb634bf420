package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Backups;
import io.tallystick.node.LedgerName;
import io.tallystick.node.NodeFolders;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.server.backup.BackupManifest;
import io.tallystick.server.backup.BackupRefusedException;
import io.tallystick.server.backup.BackupRefusedException.Reason;
import io.tallystick.server.backup.ShardBackup;
import io.tallystick.server.keys.ServicePair;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.seal.IndexRebuild;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardRemovals;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: wherever a machine dies while a backup is made or restored, there is a whole backup or
/// none, and a whole data directory or one that nothing starts on. Method: a node on a real
/// directory; its backup goes to a disk that crashes at each operation; restores are cut short.
class BackupCrashTest {
  private static final LocalRestore.Watch NOTHING = (_, _) -> {};
  private static final int GONE = 777;
  private static final InstantSource CLOCK = () -> Instant.ofEpochMilli(Fixtures.TIME_MS);

  @TempDir private Path home;
  private final List<NodeParts> opened = new ArrayList<>();
  private LocalNode local;
  private Fixtures ledger = Fixtures.ledger();

  private LocalNode open(Path directory) throws Exception {
    return LocalNode.open(
        directory,
        new Authority("localhost"),
        new NodeSeams(
            (path, hasher) -> {
              opened.add(NodeParts.local(path, hasher));
              return opened.getLast();
            },
            CLOCK,
            TestNode.CONFIG),
        TestNode.SIGNATURES,
        new SimpleMeterRegistry());
  }

  @BeforeEach
  void fill() throws Exception {
    local = open(home.resolve("data"));
    ServiceIdentity service = local.node().identity();
    ledger =
        Fixtures.ledger(Fixtures.TIME_MS, "localhost", service.noteKey(), service.receiptKey())
            .withFeatures(Set.of(Feature.CLUE_TRIE))
            .withSmallState();
    local
        .node()
        .createLedger(
            FoundingVerifier.verify(
                ledger.params().encode(),
                ledger.genesisAttestation().encode(),
                new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME),
                TestNode.SIGNATURES));
    for (int i = 0; i < 5; i++) {
      append(local, ledger.clued(i, "clue"));
      append(local, ledger.writing(100 + i, DraftOp.put(Bytes.utf8("key " + i), Bytes.utf8("v"))));
    }
  }

  @AfterEach
  void close() throws Exception {
    local.close();
  }

  private void append(LocalNode to, Submission submission) throws Exception {
    var _ =
        to.node()
            .append(
                new SubmissionVerifier(
                        TestNode.SIGNATURES, Set.of(Feature.CLUE_TRIE, Feature.STATE_FOREST))
                    .verify(
                        ledger.strand(),
                        submission.requests(),
                        submission.attestation(),
                        ledger.keys()))
            .receipted()
            .get(Waiting.MAX.toSeconds(), TimeUnit.SECONDS);
  }

  private void backUp(Disk to, Backups.Progress progress) throws Exception {
    ShardStorage storage = StreamlessDisk.under(opened.getLast().storage(CLOCK));
    Shard shard = ((ShardNode) local.node()).shard();
    new ShardBackup(storage, shard, Set.of(), to, progress).copy(false).write(to);
  }

  private Path dumped(InMemoryDisk disk, String name) throws IOException {
    Path directory = home.resolve(name);
    for (String file : disk.names()) {
      Path to = directory.resolve(file);
      Files.createDirectories(to.getParent());
      Files.write(to, disk.content(file));
    }
    return directory;
  }

  private BackupManifest restore(Path backup, Path to) throws Exception {
    return restore(backup, to, NOTHING);
  }

  private BackupManifest restore(Path backup, Path to, LocalRestore.Watch watch) throws Exception {
    return new LocalRestore(
            backup, to, home.resolve("data/keys"), TestNode.SIGNATURES, BatchHasher.cpu())
        .run(true, watch);
  }

  @Test
  void halfABackupIsNone() throws Exception {
    CrashPlan clean = CrashPlan.never();
    backUp(new CrashingDisk(clean), (_, _) -> {});
    SplittableRandom random = new SplittableRandom(20_261_126);
    int whole = 0;
    boolean made = false;
    // The service writes meanwhile, so that one backup has an operation more than another.
    for (int at = 0; !made; at++) {
      assertThat(at).isLessThan(2 * clean.operations());
      CrashPlan plan = CrashPlan.at(at, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      made = true;
      try {
        backUp(disk, (_, _) -> {});
      } catch (IOException died) {
        made = false;
      }
      plan.crashNow();
      Path left = dumped(disk.afterCrash(), "left " + at);
      if (Files.exists(left.resolve(BackupManifest.FILE))) {
        restore(left, home.resolve("restored " + at));
        whole++;
      } else {
        assertThat(made).as("crash at operation " + at).isFalse();
      }
    }
    assertThat(whole).as("those whose name was on the disk").isBetween(1, 9);
  }

  @Test
  void halfARestoreStartsNoService() throws Exception {
    CrashingDisk disk = new CrashingDisk(CrashPlan.never());
    backUp(disk, (_, _) -> {});
    Path backup = dumped(disk.afterCrash(), "backup");
    Path to = home.resolve("again");
    BackupManifest manifest = restore(backup, to);
    DirectoryMarks.set(to, DirectoryMarks.UNFINISHED, "as before the end");
    Files.delete(to.resolve("stream/00000000/00000000.seg"));
    assertThatThrownBy(() -> open(to))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("was not finished");
    assertThatThrownBy(() ->
            LocalRepair.index(
                Feature.CLUE_TRIE,
                NodeFolders.of(to),
                null,
                TestNode.SIGNATURES,
                BatchHasher.cpu(),
                IndexRebuild.Watch.NONE))
        .hasMessageContaining("was not finished");
    assertThat(restore(backup, to)).isEqualTo(manifest);
    local.close();
    local = open(to);
    append(local, ledger.clued(50, "clue"));
    assertThat(
            local
                .node()
                .journal(ledger.strand(), manifest.heads().getFirst().size(), true)
                .bodyState())
        .hasToString("PRESENT");
  }

  /// Dies at each step, as a killed process does: nothing is cleaned up.
  @Test
  void aRestoreThatIsKilledAnywhereIsTakenOverByTheNextOne() throws Exception {
    CrashingDisk disk = new CrashingDisk(CrashPlan.never());
    backUp(disk, (_, _) -> {});
    Path good = dumped(disk.afterCrash(), "backup");
    Path bad = dumped(disk.afterCrash(), "bad");
    Files.delete(bad.resolve("stream/00000000/00000000.seg"));
    for (Path backup : List.of(good, bad)) {
      boolean killed = true;
      int steps = 0;
      while (killed) {
        int at = steps++;
        Path to = home.resolve(backup.getFileName() + " restored " + at);
        Throwable end = catchThrowable(() -> restore(backup, to, new KillingWatch(at)));
        killed = end instanceof KillingWatch.Killed;
        if (killed) {
          assertThatThrownBy(() -> open(to)).hasMessageContaining("was not finished");
          assertThat(restore(good, to)).isEqualTo(BackupManifest.read(good));
          open(to).close();
        }
      }
      assertThat(steps).as("steps of " + backup).isGreaterThan(6);
    }
  }

  /// What an operator gives up, and what fails, leaves nothing.
  @Test
  void aRestoreThatFailsLeavesNothing() throws Exception {
    CrashingDisk disk = new CrashingDisk(CrashPlan.never());
    backUp(disk, (_, _) -> {});
    Path backup = dumped(disk.afterCrash(), "backup");
    Files.delete(backup.resolve("stream/00000000/00000000.seg"));
    Path to = home.resolve("again");
    assertThatThrownBy(() -> restore(backup, to))
        .isInstanceOfSatisfying(
            BackupRefusedException.class,
            refusal -> assertThat(refusal.reason()).isEqualTo(Reason.DAMAGED))
        .hasMessageContaining("00000000.seg is missing");
    assertThat(to).doesNotExist();
  }

  @Test
  void aLedgerThatTheManifestDoesNotNameIsRefused() throws Exception {
    CrashingDisk disk = new CrashingDisk(CrashPlan.never());
    backUp(disk, (_, _) -> {});
    Path backup = dumped(disk.afterCrash(), "backup");
    BackupManifest made = BackupManifest.read(backup);
    try (Disk on = LocalDisk.open(backup)) {
      new BackupManifest(
              made.takenMs(),
              made.last(),
              made.firstFrame(),
              made.nextFrame(),
              made.keys(),
              List.of(),
              made.damaged(),
              made.parts())
          .write(on);
    }
    assertThatThrownBy(() -> restore(backup, home.resolve("again")))
        .isInstanceOfSatisfying(
            BackupRefusedException.class,
            refusal -> assertThat(refusal.reason()).isEqualTo(Reason.DAMAGED))
        .hasMessageContaining("is not in the manifest");
    assertThat(home.resolve("again")).doesNotExist();
  }

  @Test
  void nothingIsMadeOfWhatLiesInTheSamePlace() throws Exception {
    Files.createDirectory(home.resolve("data/in"));
    Path link = Files.createSymbolicLink(home.resolve("link"), home.resolve("data/in"));
    assertThatThrownBy(() -> local.backups().orElseThrow().take(link, false, (_, _) -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("are one in the other");
    var _ = local.backups().orElseThrow().take(home.resolve("again/b"), false, (_, _) -> {});
    DirectoryMarks.set(home.resolve("again"), DirectoryMarks.UNFINISHED, "as before the end");
    assertThatThrownBy(() -> restore(home.resolve("again/b"), home.resolve("again")))
        .hasMessageContaining("are one in the other");
    assertThat(BackupManifest.read(home.resolve("again/b")).heads()).hasSize(1);
  }

  @Test
  void nothingIsErasedWhileABackupIsMade() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    InMemoryMetaStore meta = new InMemoryMetaStore();
    Fixtures forgetful = Fixtures.ledger();
    try (TestNode service = new TestNode(disk, meta)) {
      service.found(forgetful);
      var _ = service.append(forgetful, OccultStory.regulator(forgetful));
      long jsn = service.append(forgetful, forgetful.single(GONE)).committed().firstJsn();
      service.node.shard().removals().still().hold();
      try {
        var _ =
            service.append(
                forgetful,
                OccultStory.occult(forgetful, OccultStory.journals(service, forgetful, jsn)));
        Waiting.until("an erasure is planned", () -> erasures(meta) > 0);
        assertThat(erasures(meta)).isEqualTo(1);
        assertThat(service.node.shard().erasureTurn()).isEqualTo(ShardRemovals.Left.NOTHING);
        assertThat(OccultStory.found(disk, meta, GONE)).isNotEmpty();
      } finally {
        service.node.shard().removals().resume();
      }
      OccultStory.awaitErased(service, 1);
      assertThat(OccultStory.found(disk, meta, GONE)).isEmpty();
    }
  }

  private static long erasures(InMemoryMetaStore meta) throws IOException {
    long[] rows = {0};
    meta.scan(
        PendingErasureRow.PREFIX,
        null,
        (_, _) -> {
          rows[0]++;
          return true;
        });
    return rows[0];
  }

  /// What a frame needs of the rows is in the backup, though it came when these were read.
  @Test
  void keysThatALedgerIsRotatedToMeanwhileAreNamed() throws Exception {
    NodeParts parts = opened.getLast();
    Path data = home.resolve("data");
    MetaStore rotating =
        new PassingMetaStore(
            parts.meta(),
            () -> {
              ServicePair pair = LocalNode.makeServiceKeys(data, TestNode.SIGNATURES);
              append(
                  local,
                  ledger.govern(
                      Kind.KEY_ROTATION,
                      new Extension.KeyRotation(
                          pair.noteKey().publicKey(), pair.receiptKey().publicKey()),
                      Fixtures.ALICE));
            });
    ShardStorage storage =
        new ShardStorage(
            parts.disk(), rotating, parts.streams(), parts.shard(), parts.epochs(), CLOCK);
    CrashingDisk disk = new CrashingDisk(CrashPlan.never());
    Shard shard = ((ShardNode) local.node()).shard();
    new ShardBackup(storage, shard, Set.of(), disk, (_, _) -> {}).copy(false).write(disk);
    byte[] head = local.node().checkpoint(ledger.strand());
    Path to = home.resolve("again");
    assertThat(restore(dumped(disk.afterCrash(), "backup"), to).keys().pairs()).hasSize(2);
    local.close();
    local = open(to);
    assertThat(local.node().checkpoint(ledger.strand())).isEqualTo(head);
  }

  /// Does something once, after the first scan of all rows.
  private static final class PassingMetaStore implements MetaStore {
    private final MetaStore rows;
    private @Nullable Meanwhile meanwhile;

    interface Meanwhile {
      void run() throws Exception;
    }

    PassingMetaStore(MetaStore rows, Meanwhile meanwhile) {
      this.rows = rows;
      this.meanwhile = meanwhile;
    }

    @Override
    public @Nullable Bytes get(Bytes key) throws IOException {
      return rows.get(key);
    }

    @Override
    public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
      rows.scan(prefix, after, visitor);
      Meanwhile once = meanwhile;
      meanwhile = null;
      if (once != null) {
        try {
          once.run();
        } catch (Exception e) {
          throw new IOException(e);
        }
      }
    }

    @Override
    public void write(MetaBatch batch) throws IOException {
      rows.write(batch);
    }

    @Override
    public void close() {}
  }

  /// A damaged body is in the backup as it is; with damaged texts there is none.
  @Test
  void damageOfTheLogIsSaid() throws Exception {
    Backups backups = local.backups().orElseThrow();
    assertThat(backups.take(home.resolve("whole"), false, (_, _) -> {}).damagedFrames()).isZero();
    Path segment = home.resolve("data/stream/00000000/00000000.seg");
    byte[] bytes = Files.readAllBytes(segment);
    int frame = frameOf(bytes, "payload 2");
    flip(segment, indexOf(bytes, "payload 2", 0));
    assertThat(backups.take(home.resolve("body"), false, (_, _) -> {}).damagedFrames())
        .isEqualTo(1);
    assertThat(BackupManifest.read(home.resolve("body")).damaged()).hasSize(1);
    flip(segment, frame + 70);
    assertThatThrownBy(() -> backups.take(home.resolve("texts"), false, (_, _) -> {}))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.DAMAGED))
        .hasMessageContaining("00000000.seg at " + frame);
    assertThat(home.resolve("texts")).doesNotExist();
    assertThatThrownBy(() -> backups.take(home.resolve("body"), false, (_, _) -> {}))
        .hasMessageContaining("is not empty");
    assertThat(BackupManifest.read(home.resolve("body")).damaged()).hasSize(1);
  }

  private static int indexOf(byte[] bytes, String text, int from) {
    return new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text, from);
  }

  /// Where the frame begins that has this text.
  private static int frameOf(byte[] bytes, String text) {
    return new String(bytes, StandardCharsets.ISO_8859_1)
        .lastIndexOf("TSFR", indexOf(bytes, text, 0));
  }

  private static void flip(Path file, int at) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.seek(at);
      int old = open.read();
      open.seek(at);
      open.write(old ^ 1);
    }
  }

  @Test
  void whatNobodyWantsAnyMoreIsDeleted() throws Exception {
    Backups backups = local.backups().orElseThrow();
    Path to = home.resolve("backup");
    assertThatThrownBy(() ->
            backups.take(
                to,
                false,
                (_, _) -> {
                  throw new IOException("the operator is gone");
                }))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the operator is gone");
    assertThat(to).doesNotExist();
    Backups.Taken taken =
        backups.take(
            to, false, (_, _) -> assertRefused(backups, home.resolve("other"), "another backup"));
    assertThat(taken.heads()).hasSize(1);
    local.close();
    assertRefused(backups, home.resolve("late"), "the service ends");
    local = open(home.resolve("data"));
  }

  private static void assertRefused(Backups backups, Path to, String why) {
    assertThatThrownBy(() -> backups.take(to, false, (_, _) -> {}))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.UNAVAILABLE))
        .hasMessageContaining(why);
  }
}
