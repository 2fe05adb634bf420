package io.tallystick.server.host;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.GpuMode;
import io.tallystick.hashing.Support;
import io.tallystick.model.Authority;
import io.tallystick.node.Backups;
import io.tallystick.node.HostedNode;
import io.tallystick.node.KeptStates;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.NodeFolders;
import io.tallystick.node.NodeOptions;
import io.tallystick.server.keys.ServiceKeyStore;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.keys.ServicePair;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/// A node in this process, with the parts that it stands on and the service's keys.
public final class LocalNode implements HostedNode {
  static final String KEYS_DIRECTORY = "keys";
  private static final String LIBRARY_DIRECTORY = "native";

  private final Deque<AutoCloseable> opened;
  private final ShardNode node;
  private final LocalBackups backups;
  private final BulkHashing hashing;

  private LocalNode(
      Deque<AutoCloseable> opened, ShardNode node, LocalBackups backups, BulkHashing hashing) {
    this.opened = opened;
    this.node = node;
    this.backups = backups;
    this.hashing = hashing;
  }

  /// The same with the service's keys in the data directory; the CPU hashes.
  public static LocalNode open(
      Path dataDirectory, Authority authority, Signatures signatures, MeterRegistry registry)
      throws IOException, ServiceKeysException, CorruptStreamException {
    return open(
        NodeFolders.of(dataDirectory), authority, signatures, registry, NodeOptions.DEFAULT);
  }

  /// The same on the machine's own disk and clock, with the default limits.
  public static LocalNode open(
      NodeFolders folders,
      Authority authority,
      Signatures signatures,
      MeterRegistry registry,
      NodeOptions options)
      throws IOException, ServiceKeysException, CorruptStreamException {
    loadLibraries(folders.data());
    return open(folders, authority, NodeSeams.production(options), signatures, registry);
  }

  /// The same with the service's keys in the data directory.
  public static LocalNode open(
      Path dataDirectory,
      Authority authority,
      NodeSeams seams,
      Signatures signatures,
      MeterRegistry registry)
      throws IOException, ServiceKeysException, CorruptStreamException {
    return open(NodeFolders.of(dataDirectory), authority, seams, signatures, registry);
  }

  /// Opens the node's parts and recovers what is in them.
  ///
  /// @param folders of what the parts keep, and of the service's keys
  /// @param authority for a new directory; an old one keeps its own
  /// @throws IOException also when another process holds the directory, or when a GPU is required
  ///   and there is none
  /// @throws ServiceKeysException if the service's keys are missing or not its own
  /// @throws CorruptStreamException if what is stored contradicts itself
  public static LocalNode open(
      NodeFolders folders,
      Authority authority,
      NodeSeams seams,
      Signatures signatures,
      MeterRegistry registry)
      throws IOException, ServiceKeysException, CorruptStreamException {
    Deque<AutoCloseable> opened = new ArrayDeque<>();
    try {
      BulkHashing hashing = BulkHashing.open(seams, libraryFolder(folders.data()), registry);
      opened.push(hashing);
      NodeParts parts = seams.parts().open(folders.data(), hashing.hasher());
      opened.push(parts);
      HeadSigner signer =
          new HeadSigner(keyStore(folders, parts.meta(), signatures).open(authority));
      // A start that wrong keys end says one line, and not this one before.
      if (seams.gpu() != GpuMode.OFF) {
        hashing.tell();
      }
      ShardStorage storage = parts.storage(seams.clock());
      ShardNode node = ShardNode.open(storage, seams.config(), parts.hasher(), signer, registry);
      opened.push(node);
      LocalBackups backups = new LocalBackups(folders.data(), storage, node.shard(), registry);
      opened.push(backups);
      return new LocalNode(opened, node, backups, hashing);
    } catch (IOException
        | ServiceKeysException
        | CorruptStreamException
        | RuntimeException
        | Error e) {
      closeAll(opened, e);
      throw e;
    }
  }

  static ServiceKeyStore keyStore(NodeFolders folders, MetaStore meta, Signatures signatures) {
    return folders.keys() == null
        ? new ServiceKeyStore(folders.data().resolve(KEYS_DIRECTORY), meta, signatures)
        : ServiceKeyStore.given(folders.keys(), meta, signatures);
  }

  /// Makes a further pair of service keys, which a node finds when an owner asks for it. A node may
  /// have the directory open.
  ///
  /// @throws ServiceKeysException if no node was ever opened there
  public static ServicePair makeServiceKeys(Path dataDirectory, Signatures signatures)
      throws IOException, ServiceKeysException {
    return ServiceKeyStore.makePair(dataDirectory.resolve(KEYS_DIRECTORY), signatures);
  }

  /// Where {@link #loadLibraries} unpacks to.
  public static Path libraryFolder(Path dataDirectory) {
    return dataDirectory.resolve(LIBRARY_DIRECTORY);
  }

  /// Loads what {@link #open} will need of native code, unpacked into the data directory unless an
  /// earlier start has left it there; may run beside other work before it.
  public static void loadLibraries(Path dataDirectory) {
    RocksMetaStore.loadLibrary(libraryFolder(dataDirectory));
  }

  @Override
  public LedgerNode node() {
    return node;
  }

  @Override
  public KeptStates keptStates() {
    return node;
  }

  @Override
  public void trust(CertificateAuthorities authorities) {
    node.trust(authorities);
  }

  @Override
  public Optional<Backups> backups() {
    return Optional.of(backups);
  }

  @Override
  public Support hashing() {
    return hashing.support();
  }

  private static void closeAll(Deque<AutoCloseable> opened, Throwable cause) {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Exception e) {
        cause.addSuppressed(e);
      }
    }
  }

  @Override
  public void close() throws IOException {
    IOException failure = new IOException("the data directory did not close cleanly");
    closeAll(opened, failure);
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}
