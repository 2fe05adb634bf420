package io.tallystick.bench.service;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.tallystick.api.v1.CreateLedgerRequest;
import io.tallystick.api.v1.CreateLedgerResponse;
import io.tallystick.api.v1.GetCheckpointRequest;
import io.tallystick.api.v1.GetCheckpointResponse;
import io.tallystick.api.v1.GetServiceDescriptionRequest;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.api.v1.ServiceDescription;
import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.CpuTime;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.bench.figure.ProcessMemory;
import io.tallystick.bench.figure.ThisMachine;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.RequestSigner;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// What do many small tenants cost on one shard? The same load of batches on one ledger and then
/// spread over all, in one service: throughput, memory and descriptors; then, after a SIGKILL under
/// load, how long until each of them has answered.
final class ManyLedgersBench {
  static final String CASE = "ledgers";

  private static final double WANTED_PER_SECOND = 20_000;
  private static final double MEGABYTES_MAX = 300;
  private static final double DESCRIPTORS_MAX = 200;
  private static final double SECONDS_MAX = 5;
  private static final List<Integer> BATCHES = List.of(100, 10);
  private static final int CALLS_IN_FLIGHT = 128;
  private static final long CALL_SECONDS_MAX = 60;
  private static final int CLIENT_WARM_UP_ROUNDS = 5;
  private static final int SALT_BYTES = 32;

  private final Path home;
  private final int ledgers;
  private final double seconds;
  private final double warmUpSeconds;
  private final int repetitions;
  private final Narrator say;
  private final Signatures signatures = SignatureProviders.best();
  private final Signer owner = signatures.generate(SignatureAlgorithm.ED25519);
  private final SecureRandom random = new SecureRandom();

  ManyLedgersBench(
      Path home, int ledgers, double seconds, double warmUpSeconds, int repetitions, Narrator say) {
    this.home = home;
    this.ledgers = ledgers;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
    this.repetitions = repetitions;
    this.say = say;
  }

  /// What a process holds.
  private record Held(double megabytes, double descriptors) {
    static Held of(long pid) throws IOException {
      try (Stream<Path> open = Files.list(Path.of("/proc", String.valueOf(pid), "fd"))) {
        return new Held(
            ProcessMemory.megabytes(ProcessMemory.of(pid).residentBytes()), open.count());
      }
    }
  }

  List<BenchCase> run() throws Exception {
    List<BenchCase> cases = new ArrayList<>();
    List<StrandId> all = new ArrayList<>();
    ServiceKeys keys;
    try (ServiceProcess service = start()) {
      ManagedChannel channel = channel(service);
      try {
        ServiceDescription described =
            LedgerServiceGrpc.newBlockingStub(channel)
                .getServiceDescription(GetServiceDescriptionRequest.getDefaultInstance());
        keys = keys(described);
        found(channel, keys, 1, all);
        // The same load as later: replays and caches cost what they cost.
        for (int batch : BATCHES) {
          load(channel, all, keys, batch, warmUpSeconds + seconds);
        }
        Held one = Held.of(service.pid());
        say.say(
            String.format(
                Locale.ROOT,
                "  one ledger: %.0f MB, %.0f descriptors",
                one.megabytes(),
                one.descriptors()));
        found(channel, keys, ledgers - 1, all);
        // The client is warm when the service starts again: what that takes is not the service's.
        for (int i = 0; i < CLIENT_WARM_UP_ROUNDS; i++) {
          askAll(channel, all, keys);
        }
        cases.addAll(throughput(service, channel, all, keys));
        askAll(channel, all, keys);
        Held many = Held.of(service.pid());
        say.say(
            String.format(
                Locale.ROOT,
                "  %,d ledgers: %.0f MB, %.0f descriptors",
                all.size(),
                many.megabytes(),
                many.descriptors()));
        cases.add(
            BenchCase.beside(
                CASE + "-memory", many.megabytes() - one.megabytes(), "MB", MEGABYTES_MAX));
        cases.add(
            BenchCase.beside(
                CASE + "-descriptors",
                many.descriptors() - one.descriptors(),
                "more",
                DESCRIPTORS_MAX));
        load(channel, all, keys, BATCHES.getFirst(), seconds);
      } finally {
        close(channel);
      }
      service.kill();
    }
    double[] answered = new double[repetitions];
    for (int i = 0; i < repetitions; i++) {
      answered[i] = restart(all, keys);
    }
    cases.add(BenchCase.beside(CASE + "-restart", answered, "s", SECONDS_MAX));
    return cases;
  }

  private ServiceProcess start() throws IOException {
    return ServiceProcess.start(home.resolve(CASE), home.resolve(CASE + ".log"));
  }

  private static ManagedChannel channel(ServiceProcess service) {
    return ManagedChannelBuilder.forTarget(service.target()).usePlaintext().build();
  }

  private static void close(ManagedChannel channel) throws InterruptedException {
    channel.shutdownNow();
    channel.awaitTermination(CALL_SECONDS_MAX, TimeUnit.SECONDS);
  }

  private static ServiceKeys keys(ServiceDescription described) throws Exception {
    return new ServiceKeys(
        Authority.parse(described.getAuthority()),
        PublicKey.ofSpki(WireBytes.bytes(described.getNoteKeySpki())),
        PublicKey.ofSpki(WireBytes.bytes(described.getReceiptKeySpki())));
  }

  private List<BenchCase> throughput(
      ServiceProcess service, ManagedChannel channel, List<StrandId> all, ServiceKeys keys)
      throws Exception {
    List<BenchCase> cases = new ArrayList<>();
    for (int batch : BATCHES) {
      load(channel, all, keys, batch, warmUpSeconds);
      List<BenchCase.Run> runs = new ArrayList<>();
      for (int i = 0; i < repetitions; i++) {
        CpuTime before = CpuTime.now(service.pid());
        long started = System.nanoTime();
        long journals = load(channel, all, keys, batch, seconds);
        double perSecond = journals / ((System.nanoTime() - started) / 1e9);
        CpuTime.Cost cost = before.per(journals, CpuTime.now(service.pid()));
        runs.add(new BenchCase.Run(perSecond, WANTED_PER_SECOND, cost));
        say.say(
            String.format(
                Locale.ROOT,
                "  batches of %d: %,.0f journals/s; processor time per journal: client %.1f, service %.1f us",
                batch,
                perSecond,
                cost.clientMicros(),
                cost.serviceMicros()));
      }
      cases.add(BenchCase.throughput(CASE + "-by-" + batch, runs));
    }
    return cases;
  }

  private long load(
      ManagedChannel channel, List<StrandId> all, ServiceKeys keys, int batch, double duration)
      throws Exception {
    return new TenantLoad(all, owner, signatures, keys, batch).run(channel, duration);
  }

  private void found(ManagedChannel channel, ServiceKeys keys, int count, List<StrandId> into)
      throws Exception {
    var stub = LedgerServiceGrpc.newFutureStub(channel);
    Queue<ListenableFuture<CreateLedgerResponse>> underWay = new ArrayDeque<>();
    for (int i = 0; i < count; i++) {
      GenesisParams params = genesis(keys, "tenant " + into.size());
      into.add(new StrandId(Commitments.ledgerId(params.encode()), 0));
      underWay.add(stub.createLedger(founding(params, "tenant " + (into.size() - 1))));
      if (underWay.size() >= CALLS_IN_FLIGHT) {
        CreateLedgerResponse _ = underWay.remove().get(CALL_SECONDS_MAX, TimeUnit.SECONDS);
      }
    }
    for (ListenableFuture<CreateLedgerResponse> call : underWay) {
      CreateLedgerResponse _ = call.get(CALL_SECONDS_MAX, TimeUnit.SECONDS);
    }
  }

  private static final Bytes NAME_SALT = Bytes.wrap(new byte[SALT_BYTES]);

  private GenesisParams genesis(ServiceKeys keys, String name) {
    byte[] own = new byte[GenesisParams.RANDOM_BYTES];
    random.nextBytes(own);
    return new GenesisParams(
        keys.authority(),
        Commitments.name(NAME_SALT, name),
        Bytes.wrap(own),
        List.of(owner.publicKey()),
        keys.noteKey(),
        keys.receiptKey(),
        System.currentTimeMillis(),
        true, // reads need no token
        1,
        GenesisParams.DEFAULT_WINDOW_MS,
        Set.of(),
        null);
  }

  private CreateLedgerRequest founding(GenesisParams params, String name) {
    return CreateLedgerRequest.newBuilder()
        .setGenesisParams(WireBytes.toWire(params.encode()))
        .setAttestation(
            WireBytes.toWire(RequestSigner.signGenesis(params, List.of(owner)).encode()))
        .setNameSalt(WireBytes.toWire(NAME_SALT))
        .setName(name)
        .build();
  }

  /// From the start of the process until every ledger has told its newest head, verified. Then it
  /// takes the load again and is killed: each start finds what a crash leaves.
  ///
  /// @return seconds
  private double restart(List<StrandId> all, ServiceKeys keys) throws Exception {
    long clientBefore = ThisMachine.processorNanos();
    long started = System.nanoTime();
    try (ServiceProcess service = start()) {
      double listening = (System.nanoTime() - started) / 1e9;
      // One thread waits for answers in their order: a pool between it and the network helps
      // nobody.
      ManagedChannel channel =
          ManagedChannelBuilder.forTarget(service.target()).usePlaintext().directExecutor().build();
      try {
        askAll(channel, all, keys);
        double answered = (System.nanoTime() - started) / 1e9;
        CpuTime used = CpuTime.now(service.pid());
        Held held = Held.of(service.pid());
        say.say(
            String.format(
                Locale.ROOT,
                "  restarted: listening after %.1f s, all have answered after %.1f s; processor time: client %.1f, service %.1f s; %.0f MB, %.0f descriptors",
                listening,
                answered,
                (used.clientNanos() - clientBefore) / 1e9,
                used.serviceNanos() / 1e9,
                held.megabytes(),
                held.descriptors()));
        load(channel, all, keys, BATCHES.getFirst(), seconds);
        return answered;
      } finally {
        close(channel);
        service.kill();
      }
    }
  }

  private void askAll(ManagedChannel channel, List<StrandId> all, ServiceKeys keys)
      throws Exception {
    var stub = JournalServiceGrpc.newFutureStub(channel);
    Queue<ListenableFuture<GetCheckpointResponse>> underWay = new ArrayDeque<>();
    for (int asked = 0, told = 0; told < all.size(); ) {
      if (asked < all.size() && underWay.size() < CALLS_IN_FLIGHT) {
        underWay.add(
            stub.getCheckpoint(
                GetCheckpointRequest.newBuilder()
                    .setLedgerId(WireBytes.toWire(all.get(asked++).ledger().digest()))
                    .build()));
      } else {
        GetCheckpointResponse answer = underWay.remove().get(CALL_SECONDS_MAX, TimeUnit.SECONDS);
        Checkpoint.verify(WireBytes.bytes(answer.getNote()), all.get(told++), keys, signatures);
      }
    }
  }
}
