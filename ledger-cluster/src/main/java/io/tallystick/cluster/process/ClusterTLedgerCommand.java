package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.ClusterTLedger;
import io.tallystick.cluster.ServiceKids;
import io.tallystick.cluster.proxy.ClusterNode;
import io.tallystick.cluster.proxy.ClusterRoutes;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.tledger.TLedgerFounding;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.proxy.anchor.KeptTLedger;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.wire.WireRole;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Founds the T-Ledger of a cluster.
@Command(
    name = "t-ledger",
    description = {
      "Found the cluster's T-Ledger, to which other ledgers submit their heads; said again, name the "
          + "one there is. The owner of its shard writes it.",
      "Its key is DIR/t-ledger.pem, made if there is none: copy it to the keys of each server, and "
          + "give servers --submitters. The certificate is one of a master."
    },
    mixinStandardHelpOptions = true)
public final class ClusterTLedgerCommand implements Callable<Integer> {
  private static final long OWNERS_MILLIS = 30_000;
  private static final long LOOK_MILLIS = 200;

  @Option(
      names = "--keys",
      paramLabel = "DIR",
      required = true,
      description = "The folder of the service's keys")
  private Path keys = Path.of("");

  @Mixin private ClusterOptions cluster = new ClusterOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    Signatures signatures = SignatureProviders.best();
    try (ClusterConnection connection = cluster.connect()) {
      checkKeys(connection, signatures);
      Signer owner = key(connection, signatures);
      ClusterRoutes routes = ClusterRoutes.open(cluster.connect(), cluster.tls(), WireRole.MASTER);
      try (ClusterNode node = new ClusterNode(routes, routes, routes)) {
        routes.awaitOwner(OWNERS_MILLIS);
        return found(node, owner, signatures, connection);
      }
    }
  }

  /// The key is made where the servers' pairs are, nowhere else.
  private void checkKeys(ClusterConnection connection, Signatures signatures)
      throws IOException, CorruptStreamException, ServiceKeysException {
    List<KeyPairKids> listed = connection.identity().pairs();
    if (ServiceKids.of(keys, signatures).stream().noneMatch(listed::contains)) {
      throw new ServiceKeysException("the keys of " + keys + " are not those of the cluster");
    }
  }

  /// A T-Ledger that there is has its writer: no other key is made.
  private Signer key(ClusterConnection connection, Signatures signatures)
      throws IOException, CorruptStreamException {
    Path file = keys.resolve(ClusterTLedger.KEY);
    Optional<ClusterTLedger> there = ClusterTLedger.read(connection);
    if (there.isPresent() && !Files.exists(file)) {
      throw new IOException(
          file + " is missing: it is to be the key of the writer of T-Ledger " + there.get().id());
    }
    return KeptTLedger.loadOrMakeKey(file, signatures);
  }

  private int found(
      LedgerNode node, Signer owner, Signatures signatures, ClusterConnection connection)
      throws IOException, InterruptedException {
    try {
      TLedgerFounding founding =
          new TLedgerFounding(node, owner, signatures, new SharedKeeper(connection));
      LedgerId id = open(founding, node, owner);
      Output.out(spec.commandLine()).println("T-Ledger " + id);
      return ExitCode.OK;
    } catch (RequestRejectedException e) {
      Output.err(spec.commandLine()).println("tally: " + e.getMessage());
      return e.code() == RejectionCode.UNAVAILABLE ? ExitCode.UNAVAILABLE : ExitCode.REFUSED;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static void checkWrites(LedgerNode node, LedgerId id, Signer owner)
      throws RequestRejectedException {
    Digest kid = owner.publicKey().kid();
    boolean writes =
        node.member(id, kid)
            .filter(member -> member.currentAt(node.timeMs()) && member.role().mayAppend())
            .isPresent();
    if (!writes) {
      throw new RequestRejectedException(
          RejectionCode.ROLE_NOT_ALLOWED,
          String.format(
              Locale.ROOT,
              "%s with kid %s is not the key of a member of T-Ledger %s that may append",
              ClusterTLedger.KEY,
              kid,
              id));
    }
  }

  /// Connections to owners are made meanwhile.
  private static LedgerId open(TLedgerFounding founding, LedgerNode node, Signer owner)
      throws RequestRejectedException, InterruptedException {
    long began = System.nanoTime();
    while (true) {
      try {
        LedgerId id = founding.open();
        checkWrites(node, id, owner);
        return id;
      } catch (RequestRejectedException e) {
        if (e.code() != RejectionCode.UNAVAILABLE
            || System.nanoTime() - began > TimeUnit.MILLISECONDS.toNanos(OWNERS_MILLIS)) {
          throw e;
        }
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  /// Keeps the founding request in ZooKeeper.
  private record SharedKeeper(ClusterConnection connection) implements TLedgerFounding.Keeper {
    @Override
    public Optional<Bytes> kept() {
      try {
        return ClusterTLedger.read(connection).map(ClusterTLedger::request);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (CorruptStreamException e) {
        throw new UncheckedIOException(new IOException(e));
      }
    }

    @Override
    public boolean keep(Optional<Bytes> before, Bytes request) {
      try {
        return ClusterTLedger.write(connection, before, request, new SecureRandom());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (CorruptStreamException e) {
        throw new UncheckedIOException(new IOException(e));
      }
    }
  }
}
