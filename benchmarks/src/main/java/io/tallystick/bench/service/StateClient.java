package io.tallystick.bench.service;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.tallystick.api.v1.CreateLedgerRequest;
import io.tallystick.api.v1.GetServiceDescriptionRequest;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.api.v1.ServiceDescription;
import io.tallystick.client.ClientKey;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.StateParams;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A client that founds ledgers with and without a state, and appends to both in the same way: what
/// differs between two measurements is then the state alone.
public final class StateClient implements AutoCloseable {
  private static final int STRAND = 0;
  private static final int STRANDS = 1;

  private final ManagedChannel channel;
  private final ClientKey owner;
  private final Signer signer;
  private final SecureRandom random = new SecureRandom();

  /// A ledger's only strand, and the keys that sign its heads.
  public record Founded(StrandId strand, ServiceKeys keys) {}

  /// @param target `HOST:PORT`
  public StateClient(String target, ClientKey owner, Signer signer) {
    this.channel = Grpc.newChannelBuilder(target, InsecureChannelCredentials.create()).build();
    this.owner = owner;
    this.signer = signer;
  }

  public Founded found(String name, boolean state) throws MalformedException {
    var ledgers = LedgerServiceGrpc.newBlockingStub(channel);
    ServiceDescription service =
        ledgers.getServiceDescription(GetServiceDescriptionRequest.getDefaultInstance());
    Bytes nameSalt = random(Limits.SALT_BYTES);
    GenesisParams params =
        new GenesisParams(
            Authority.parse(service.getAuthority()),
            Commitments.name(nameSalt, name),
            random(GenesisParams.RANDOM_BYTES),
            List.of(owner.publicKey()),
            key(service.getNoteKeySpki()),
            key(service.getReceiptKeySpki()),
            System.currentTimeMillis(),
            false,
            STRANDS,
            GenesisParams.DEFAULT_WINDOW_MS,
            state ? Set.of(Feature.CLUE_TRIE, Feature.STATE_FOREST) : Set.of(Feature.CLUE_TRIE),
            state ? StateParams.DEFAULT : null);
    Attestation attestation = RequestSigner.signGenesis(params, List.of(signer));
    var _ =
        ledgers.createLedger(
            CreateLedgerRequest.newBuilder()
                .setGenesisParams(wire(params.encode()))
                .setAttestation(wire(attestation.encode()))
                .setNameSalt(wire(nameSalt))
                .setName(name)
                .build());
    StrandId strand = new StrandId(Commitments.ledgerId(params.encode()), STRAND);
    ServiceKeys keys = new ServiceKeys(params.authority(), params.noteKey(), params.receiptKey());
    return new Founded(strand, keys);
  }

  private static PublicKey key(ByteString spki) throws MalformedException {
    return PublicKey.ofSpki(Bytes.wrap(spki.toByteArray()));
  }

  private Bytes random(int bytes) {
    byte[] value = new byte[bytes];
    random.nextBytes(value);
    return Bytes.wrap(value);
  }

  /// Appends from now on until it is stopped.
  ///
  /// @param puts whether each journal has one, of a random key
  public StateServiceLoad load(Founded ledger, boolean puts) {
    return load(ledger, puts ? StateKeys.random() : null, Long.MAX_VALUE);
  }

  private StateServiceLoad load(Founded ledger, @Nullable Supplier<Bytes> keys, long batches) {
    return new StateServiceLoad(JournalServiceGrpc.newStub(channel), ledger, signer, keys, batches);
  }

  /// Appends so many journals, in whole batches.
  ///
  /// @param keys of the put that each has; null: none has one
  /// @return journals per second until the last is acknowledged
  public double append(Founded ledger, @Nullable Supplier<Bytes> keys, long journals)
      throws InterruptedException {
    long batches = Math.ceilDiv(journals, BatchLoad.BATCH);
    long started = System.nanoTime();
    StateServiceLoad load = load(ledger, keys, batches);
    load.awaitAcknowledged(batches * BatchLoad.BATCH);
    double rate = batches * BatchLoad.BATCH * 1e9 / (System.nanoTime() - started);
    load.stop();
    return rate;
  }

  /// What was acknowledged.
  ///
  /// @param perSecond journals, over the time that was asked for
  /// @param journals in all, those before and behind that time included
  public record Throughput(double perSecond, long journals) {}

  /// Appends for a time.
  public Throughput throughput(Founded ledger, boolean puts, double forSeconds)
      throws InterruptedException {
    StateServiceLoad load = load(ledger, puts);
    Thread.sleep((long) (forSeconds * 250)); // until the pipe is full
    long before = load.acknowledged();
    long from = System.nanoTime();
    Thread.sleep((long) (forSeconds * 1000));
    long after = load.acknowledged();
    double rate = (after - before) * 1e9 / (System.nanoTime() - from);
    load.stop();
    return new Throughput(rate, load.acknowledged());
  }

  static ByteString wire(Bytes bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes.unsafeArray());
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
