package io.tallystick.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cbor.CborWriter;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.ClusterTLedger;
import io.tallystick.cluster.ServiceKids;
import io.tallystick.cluster.zoo.TestZooKeeper;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.master.identity.ClusterExistsException;
import io.tallystick.master.identity.ClusterFounding;
import io.tallystick.master.identity.ClusterIdentity;
import io.tallystick.master.identity.NoClusterException;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.registry.ClusterRegistry;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.node.Backups;
import io.tallystick.server.backup.BackupRefusedException;
import io.tallystick.server.host.ImportRefusedException;
import io.tallystick.server.host.LocalRestore;
import io.tallystick.server.keys.ServiceKeyStore;
import io.tallystick.storage.replicated.EntryReader;
import io.tallystick.storage.replicated.LogWriter;
import io.tallystick.storage.replicated.Quorum;
import io.tallystick.storage.replicated.ReplicatedLogs;
import io.tallystick.storage.replicated.ReplicatedStreamStore;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCluster;
import io.tallystick.testkit.contract.Frames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a restore that is refused leaves the old cluster as it was, one that is done leaves one
/// cluster that goes on, and neither touches files of others. Method: clusters without journals in
/// a ZooKeeper of this process, logs as twins.
class ClusterRestoreTest {
  private static final int SHARDS = 2;

  @TempDir Path home;
  private final SecureRandom nonces = new SecureRandom();
  private final ReplicatedLogs logs =
      new TwinCluster(1).server("logs", Steps.NONE, TwinCluster.SMALL).logs();
  private TestZooKeeper zooKeeper;
  private ClusterConnection old;
  private Path keys;
  private Path work;

  @BeforeEach
  void found() throws Exception {
    keys = home.resolve("keys");
    work = home.resolve("restore").resolve("work");
    zooKeeper = TestZooKeeper.start(home.resolve("zookeeper"));
    KeyPairKids pair =
        ServiceKids.of(ServiceKeyStore.makeFirstPair(keys, SignatureProviders.best()));
    old = ClusterConnection.open(zooKeeper.address(), "old");
    found(old, pair);
    try (ClusterConnection there = ClusterConnection.open(zooKeeper.address(), "there")) {
      found(there, pair);
    }
  }

  @AfterEach
  void close() {
    old.close();
    zooKeeper.close();
  }

  private void found(ClusterConnection cluster, KeyPairKids pair) throws Exception {
    ClusterIdentity _ =
        new ClusterFounding(cluster.coordination(), cluster.paths(), nonces)
            .init(
                new ClusterFounding.Terms(
                    new Authority("localhost"), SHARDS, new TreeMap<>(), pair));
  }

  private Path backUp(String name) throws Exception {
    Path out = home.resolve(name);
    ClusterBackup.Taken _ =
        new ClusterBackup(
                old, logs, SignatureProviders.best(), BatchHasher.cpu(), new SecureRandom())
            .run(out, (_, _) -> {});
    return out;
  }

  private ClusterRestore.Restored restore(Path from, String to) throws Exception {
    return restore(from, to, logs);
  }

  private ClusterRestore.Restored restore(Path from, String to, ReplicatedLogs through)
      throws Exception {
    return restore(from, to, through, false);
  }

  private ClusterRestore.Restored restore(
      Path from, String to, ReplicatedLogs through, boolean oldIsGone) throws Exception {
    return new ClusterRestore(
            from, keys, work, through, SignatureProviders.best(), BatchHasher.cpu(), nonces)
        .run(
            name -> ClusterConnection.open(zooKeeper.address(), name),
            to,
            oldIsGone,
            oldIsGone,
            new LocalRestore.Watch() {
              @Override
              public void isAt(long bytes, long all) {}
            });
  }

  private ShardClaims server() {
    return new ShardClaims(
        old.coordination(), old.paths(), new ShardClaims.Server("s1", "s1:1", 1), nonces);
  }

  private void assertServes() throws Exception {
    for (int shard = 0; shard < SHARDS; shard++) {
      assertThat(server().claim(new StreamId(shard)).epoch()).isPositive();
    }
  }

  @Test
  void anOldClusterStaysOpenIfTheNewNameIsTaken() throws Exception {
    Path backup = backUp("backup");
    assertThatThrownBy(() -> restore(backup, "old"))
        .isInstanceOf(BackupRefusedException.class)
        .hasMessageContaining("needs another name");
    assertServes();
    assertThatThrownBy(() -> restore(backup, "there")).isInstanceOf(ClusterExistsException.class);
    assertServes();
  }

  @Test
  void anOldClusterThatIsThereIsNotGone() throws Exception {
    Path backup = backUp("backup");
    assertThatThrownBy(() -> restore(backup, "new", logs, true))
        .isInstanceOf(BackupRefusedException.class)
        .hasMessageContaining("cluster old is not gone");
    assertServes();
  }

  @Test
  void aBackupIsMadeOneClusterAlone() throws Exception {
    Path backup = backUp("backup");
    assertThat(restore(backup, "new").shards()).isZero();
    assertThatThrownBy(() -> restore(backup, "newer"))
        .isInstanceOf(ImportRefusedException.class)
        .hasMessageContaining("goes on in cluster new");
    try (ClusterConnection newer = ClusterConnection.open(zooKeeper.address(), "newer")) {
      assertThatThrownBy(() -> ClusterIdentity.read(newer.coordination(), newer.paths()))
          .isInstanceOf(NoClusterException.class);
    }
  }

  /// The owner confirms one frame more when the shards are closed.
  @Test
  void whatWasClosedInVainIsOpenAgain() throws Exception {
    Path backup = backUp("backup");
    ShardClaims owner = server();
    StreamId last = new StreamId(SHARDS - 1);
    ReplicatedStreamStore store =
        new ReplicatedStreamStore(
            logs, old.coordination(), old.paths(), owner, TwinCluster.SMALL, nonces, () -> 0);
    StreamWriter writer = store.openWriter(last, owner.claim(last).epoch(), StreamStore.START);
    ReplicatedLogs late =
        new LateLogs(logs, () -> Frames.append(writer, "no frame of a shard", "payload"));
    assertThatThrownBy(() -> restore(backup, "new", late))
        .isInstanceOf(CorruptStreamException.class);
    assertServes();
  }

  private interface Act {
    Frames.Frame run() throws IOException;
  }

  /// Does something before a log is fenced.
  private record LateLogs(ReplicatedLogs logs, Act before) implements ReplicatedLogs {
    @Override
    public LogWriter create(Quorum quorum, Bytes label) throws IOException {
      return logs.create(quorum, label);
    }

    @Override
    public EntryReader open(long log) throws IOException {
      return logs.open(log);
    }

    @Override
    public EntryReader recover(long log) throws IOException {
      Frames.Frame _ = before.run();
      return logs.recover(log);
    }

    @Override
    public void delete(long log) throws IOException {
      logs.delete(log);
    }

    @Override
    public List<Labelled> list() throws IOException {
      return logs.list();
    }

    @Override
    public int machines() throws IOException {
      return logs.machines();
    }
  }

  @Test
  void aClosedShardWithLedgersIsNotLeftOut() throws Exception {
    LedgerId ledger = new LedgerId(Sha256.hash(new byte[] {1}));
    var _ = ClusterImport.target(old, logs, nonces, SHARDS).stream().claim(1);
    ClusterIdentity _ =
        new ClusterFounding(old.coordination(), old.paths(), nonces).growTo(SHARDS + 1);
    Path _ = backUp("while it is imported");
    new ClusterRegistry(old.coordination(), old.paths(), nonces).adopt(SHARDS, List.of(ledger));
    assertThatThrownBy(() -> backUp("backup"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("shard 2 is closed and has ledgers");
    assertThat(home.resolve("backup").resolve(ClusterManifest.FILE)).doesNotExist();
  }

  @Test
  void aWorkFolderThatHoldsTheBackupOrTheKeysIsRefused() throws Exception {
    Path backup = backUp("backup");
    for (Path each : List.of(backup, home, backup.resolve("work"), keys, keys.resolve("work"))) {
      work = each;
      assertThatThrownBy(() -> restore(backup, "new"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("one in the other");
    }
    assertThat(backup.resolve(ClusterManifest.FILE)).exists();
    assertServes();
  }

  @Test
  void aWorkFolderWithAnythingElseIsRefused() throws Exception {
    Path backup = backUp("backup");
    Path mine = Files.createDirectories(work).resolve("mine");
    Files.writeString(mine, "mine");
    assertThatThrownBy(() -> restore(backup, "new"))
        .isInstanceOf(BackupRefusedException.class)
        .hasMessageContaining("is not empty");
    Files.delete(mine);
    new RestoreWork(work, Sha256.hash(new byte[] {7})).begin();
    assertThatThrownBy(() -> restore(backup, "new"))
        .isInstanceOf(BackupRefusedException.class)
        .hasMessageContaining("another backup");
    assertServes();
  }

  @Test
  void filesOfOthersStayInTheWorkFolder() throws Exception {
    Path backup = backUp("backup");
    Digest sum = Sha256.hash(Files.readAllBytes(backup.resolve(ClusterManifest.FILE)));
    new RestoreWork(work, sum).begin();
    Files.createDirectories(work.resolve("shard-00001").resolve("meta"));
    Path mine = work.resolve("mine");
    Files.writeString(mine, "mine");
    ClusterRestore.Restored _ = restore(backup, "new");
    assertThat(work.toFile().list()).containsExactly("mine");
    work = home.resolve("restore").resolve("another");
    old.close();
    old = ClusterConnection.open(zooKeeper.address(), "there");
    ClusterRestore.Restored _ = restore(backUp("of there"), "newest");
    assertThat(work).doesNotExist();
  }

  @Test
  void aShardThatComesOutOtherwiseIsRefused() throws Exception {
    LedgerId ledger = new LedgerId(Sha256.hash(new byte[] {1}));
    Digest root = Sha256.hash(new byte[] {2});
    Backups.Head head = new Backups.Head(ledger, 5, 3, root, true, "name");
    ClusterRestore.requireSame(
        1, List.of(head), List.of(new Backups.Head(ledger, 5, 3, root, false, "")));
    for (List<Backups.Head> other :
        List.of(
            List.<Backups.Head>of(),
            List.of(new Backups.Head(ledger, 6, 3, root, true, "name")),
            List.of(new Backups.Head(ledger, 5, 4, root, true, "name")),
            List.of(new Backups.Head(ledger, 5, 3, Digest.ZERO, true, "name")))) {
      assertThatThrownBy(() -> ClusterRestore.requireSame(1, List.of(head), other))
          .isInstanceOf(BackupRefusedException.class)
          .hasMessageContaining("shard 1 came out with");
    }
  }

  @Test
  void theTLedgerStaysTheTLedger() throws Exception {
    CborWriter request = new CborWriter().array(4).uint(1);
    request.bytes(Fixtures.ledger().params().encode());
    request.bytes(Bytes.utf8("attestation")).bytes(Bytes.utf8("salt"));
    assertThat(ClusterTLedger.write(old, Optional.empty(), request.toBytes(), nonces)).isTrue();
    ClusterRestore.Restored _ = restore(backUp("backup"), "new");
    try (ClusterConnection again = ClusterConnection.open(zooKeeper.address(), "new")) {
      assertThat(ClusterTLedger.read(again)).isEqualTo(ClusterTLedger.read(old)).isPresent();
    }
  }
}
