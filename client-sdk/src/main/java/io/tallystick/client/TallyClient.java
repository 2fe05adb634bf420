package io.tallystick.client;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.tallystick.api.v1.GetServiceDescriptionRequest;
import io.tallystick.api.v1.Ledger;
import io.tallystick.api.v1.ListLedgersRequest;
import io.tallystick.api.v1.ListLedgersResponse;
import io.tallystick.api.v1.ServiceDescription;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.internal.append.SignedSubmission;
import io.tallystick.client.internal.read.GenesisCheck;
import io.tallystick.client.internal.read.JournalReader;
import io.tallystick.client.internal.read.LedgerReader;
import io.tallystick.client.internal.read.MemberDirectory;
import io.tallystick.client.internal.read.NewestSeal;
import io.tallystick.client.lineage.LineageReader;
import io.tallystick.client.state.StateReader;
import io.tallystick.client.trust.ConsistencySource;
import io.tallystick.client.trust.KeyChainSource;
import io.tallystick.client.trust.ServiceTrust;
import io.tallystick.client.trust.TrustFolder;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.trust.WitnessQuorum;
import io.tallystick.client.wire.AppendPipe;
import io.tallystick.client.wire.BearerToken;
import io.tallystick.client.wire.LedgerCalls;
import io.tallystick.client.wire.ProposalCalls;
import io.tallystick.client.wire.ServiceCalls;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.RandomSource;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.receipt.ReceiptFile;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A connection to a Tallystick service, and what this client has come to trust of its ledgers.
/// Found a ledger with {@link #createLedger}, or open one whose id you have from elsewhere with
/// {@link #open}.
///
/// One event loop thread, one timer thread, and virtual threads that check asynchronous answers.
/// Thread-safe; close it when done.
public final class TallyClient implements AutoCloseable {
  private static final int MESSAGE_BYTES_MAX = 8 << 20;

  /// A connection that says nothing for so long, and nothing when asked, is broken off while its
  /// calls can still be repeated elsewhere.
  private static final Duration KEEP_ALIVE = Duration.ofSeconds(15);

  private static final Duration KEEP_ALIVE_ANSWER = Duration.ofSeconds(5);
  private static final long CLOSE_SECONDS_MAX = 5;

  private final ClientConfig config;
  private final InstantSource clock;
  private final ManagedChannel channel;
  private final @Nullable EventLoopGroup eventLoop;
  private final ScheduledThreadPoolExecutor timer;
  private final ExecutorService workers;
  private final ServiceCalls calls;
  private final AppendPipe pipe;
  private final Signatures signatures = SignatureProviders.best();
  private final SecureRandom random = RandomSource.best();
  private final ConcurrentMap<LedgerId, ReadTokens> readers = new ConcurrentHashMap<>();
  // One trusted log per ledger, whatever number of handles: heads join it together.
  private final ConcurrentMap<LedgerId, TrustedLog> logs = new ConcurrentHashMap<>();
  private final ConcurrentMap<LedgerId, NewestSeal> seals = new ConcurrentHashMap<>();

  private TallyClient(
      ClientConfig config,
      ManagedChannel channel,
      @Nullable EventLoopGroup eventLoop,
      InstantSource clock) {
    this.config = config;
    this.clock = clock;
    this.channel = channel;
    this.eventLoop = eventLoop;
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("tally-client-timer").factory());
    this.workers =
        Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("tally-client-check-", 0).factory());
    this.calls = new ServiceCalls(channel, config.calls().timeout(), config.calls().retry());
    this.pipe =
        new AppendPipe(
            channel,
            config.calls().retry(),
            config.calls().timeout(),
            config.calls().inFlightBytesMax(),
            timer,
            run -> workers.execute(() -> ReceiptChecker.settle(run)));
  }

  /// Connects when first used.
  public static TallyClient connect(ClientConfig config) {
    EventLoopGroup eventLoop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("tally-client-io", true), NioIoHandler.newFactory());
    ManagedChannel channel =
        ServiceChannel.builder(config)
            .eventLoopGroup(eventLoop)
            .channelType(NioSocketChannel.class)
            .maxInboundMessageSize(MESSAGE_BYTES_MAX)
            .keepAliveTime(KEEP_ALIVE.toSeconds(), TimeUnit.SECONDS)
            .keepAliveTimeout(KEEP_ALIVE_ANSWER.toSeconds(), TimeUnit.SECONDS)
            .build();
    return new TallyClient(config, channel, eventLoop, InstantSource.system());
  }

  /// Over a channel made elsewhere, such as one inside the process; closed with the client.
  public static TallyClient over(ManagedChannel channel, ClientConfig config) {
    return over(channel, config, InstantSource.system());
  }

  static TallyClient over(ManagedChannel channel, ClientConfig config, InstantSource clock) {
    return new TallyClient(config, channel, null, clock);
  }

  /// The service's description of itself.
  public ServiceInfo serviceDescription() throws TallyException {
    ServiceDescription answer =
        calls.ledgers(
            "GetServiceDescription",
            stub -> stub.getServiceDescription(GetServiceDescriptionRequest.getDefaultInstance()));
    try {
      return new ServiceInfo(
          Authority.parse(answer.getAuthority()),
          PublicKey.ofSpki(WireBytes.bytes(answer.getNoteKeySpki())),
          PublicKey.ofSpki(WireBytes.bytes(answer.getReceiptKeySpki())),
          answer.getTimeMs(),
          Duration.ofMillis(answer.getDefaultWindowMs()),
          answer.getMaxRequestBytes(),
          answer.getMaxBatchCount(),
          answer.getMaxBatchBytes(),
          answer.getVersion());
    } catch (MalformedException e) {
      throw new VerificationException(
          new ProofRejectedException(Reason.MALFORMED, "service: " + e.getMessage(), e));
    }
  }

  /// The service's list of ledgers: its word, nothing verified. Those of which the configuration's
  /// reader is a member; without a reader, the public ones.
  ///
  /// @throws VerificationException if there is a reader and the service calls itself otherwise than
  ///   the host it was reached at; name it then
  public List<ListedLedger> listLedgers() throws TallyException {
    return config.reader() == null ? list(calls) : listLedgers(authorityReached());
  }

  /// The same of a service that is known by this name, wherever it is reached.
  public List<ListedLedger> listLedgers(Authority service) throws TallyException {
    ClientKey reader = config.reader();
    if (reader == null) {
      return list(calls);
    }
    ReadTokens tokens = new ReadTokens(reader.signer(), clock);
    return list(calls.with(new BearerToken(() -> tokens.of(service))));
  }

  private static List<ListedLedger> list(ServiceCalls reading) throws TallyException {
    List<ListedLedger> ledgers = new ArrayList<>();
    ListLedgersRequest request = ListLedgersRequest.getDefaultInstance();
    try {
      while (true) {
        ListLedgersRequest page = request;
        ListLedgersResponse answer = reading.ledgers("ListLedgers", stub -> stub.listLedgers(page));
        for (Ledger ledger : answer.getLedgersList()) {
          ledgers.add(ListedLedger.of(ledger));
        }
        // An id that does not rise would go round for ever.
        if (answer.getNextAfterLedgerId().isEmpty() || answer.getLedgersCount() == 0) {
          return List.copyOf(ledgers);
        }
        request =
            ListLedgersRequest.newBuilder().setAfterLedgerId(answer.getNextAfterLedgerId()).build();
      }
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    }
  }

  /// A token for a whole service opens the service to any holder of the token, so it is signed for
  /// the service that was asked, not for one that the answer names.
  private void checkName(Authority service) throws VerificationException {
    ServiceTarget asked = config.target();
    String named = service.value().replaceFirst(":[0-9]+$", "");
    boolean here = asked.isLoopback() && named.equals("localhost");
    if (!asked.hosts().contains(named) && !here) {
      throw new VerificationException(
          new ProofRejectedException(
              Reason.WRONG_ORIGIN,
              String.format(
                  Locale.ROOT,
                  "the service at %s calls itself %s: no token for all its ledgers is signed for that name",
                  asked,
                  service)));
    }
  }

  private Authority authorityReached() throws TallyException {
    Authority service = serviceDescription().authority();
    checkName(service);
    return service;
  }

  /// Founds a ledger that all `owners` sign for, pins it, and grants its first members. The handle
  /// signs with the first owner's key. After a break, {@link #creation} goes on.
  ///
  /// @param name shown by the service; genesis has only a salted commitment to it
  /// @throws RequestRefusedException `feature_conflict` before anything is signed
  public LedgerHandle createLedger(String name, List<ClientKey> owners, LedgerOptions options)
      throws TallyException {
    return creation(name, owners, options).run(unused -> {});
  }

  /// The same step by step: signs the founding, and sends nothing.
  public LedgerCreation creation(String name, List<ClientKey> owners, LedgerOptions options)
      throws TallyException {
    LedgerCreation.check(owners, options);
    LedgerFounding founding =
        LedgerFounding.sign(serviceDescription(), name, owners, options, clock.millis(), random);
    return new LedgerCreation(() -> found(founding, owners), PendingRequest.of(founding), options);
  }

  /// Goes on with a founding that was sent before, or may have been.
  ///
  /// @throws IllegalArgumentException if it founds no ledger
  public LedgerCreation creation(
      PendingRequest founding, List<ClientKey> owners, LedgerOptions options)
      throws RequestRefusedException {
    LedgerCreation.check(owners, options);
    return new LedgerCreation(() -> founded(founding, owners), founding, options);
  }

  private LedgerHandle founded(PendingRequest founding, List<ClientKey> owners)
      throws TallyException {
    if (resend(founding, owners.toArray(ClientKey[]::new)) instanceof Resent.Founded(var ledger)) {
      return ledger;
    }
    throw new IllegalArgumentException("it founds no ledger");
  }

  private LedgerHandle found(LedgerFounding founding, List<ClientKey> owners)
      throws TallyException {
    // Before the ledger exists: a client that crashes now still knows which ledger may be its own.
    readAs(founding.ledgerId(), owners);
    TrustedLog log = pin(founding.ledgerId(), founding.encoded());
    try {
      ReceiptFile genesis = founding.check(founding.send(callsFor(founding.ledgerId())));
      reader(log).joinFounded(genesis);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (ServiceUnavailableException e) {
      throw e.outcomeUnknown() ? e.withPending(PendingRequest.of(founding).encode()) : e;
    }
    List<ClientKey> signers = owners.isEmpty() ? List.of() : List.of(owners.getFirst());
    return new LedgerHandle(founding.ledgerId(), Opening.done(opened(log, signers)));
  }

  /// Sends again what was signed before and whose outcome is not known, byte for byte: it is done
  /// once, whether it was done then or is done now. If it is refused for good, the log is searched
  /// for it.
  ///
  /// @param readers the first signs tokens for reading, as in {@link #open}; nothing else is signed
  /// @throws RequestRefusedException if the service refused it for what it is, and the log does not
  ///   hold it. Its detail says how that is known
  /// @throws ServiceUnavailableException if the outcome is unknown as before
  public Resent resend(PendingRequest pending, ClientKey... readers) throws TallyException {
    try {
      return switch (pending.content()) {
        case PendingRequest.Content.Founding(LedgerFounding founding) ->
            new Resent.Founded(found(founding, List.of(readers)));
        case PendingRequest.Content.Journals(SignedSubmission submission) ->
            resend(submission, readers);
      };
    } catch (RequestRefusedException e) {
      if (Resender.isFinal(e)) {
        throw e;
      }
      throw new ServiceUnavailableException(
              String.format(
                  Locale.ROOT, "it was sent again and refused (%s): %s", e.code(), e.detail()),
              true,
              e)
          .withPending(pending.encode());
    } catch (ServiceUnavailableException e) {
      throw e.withPending(pending.encode());
    }
  }

  private Resent.Journals resend(SignedSubmission submission, ClientKey... readers)
      throws TallyException {
    LedgerId ledger = submission.strand().ledger();
    try {
      var unused = open(ledger, readers);
    } catch (RequestRefusedException e) {
      // Said of whoever reads, not of what was signed.
      throw new ServiceUnavailableException(
          String.format(
              Locale.ROOT,
              "it was not sent again, as the ledger could not be opened: refused (%s): %s",
              e.code(),
              e.detail()),
          true,
          e);
    }
    TrustedLog log = logs.get(ledger);
    if (log == null || !log.trust().strand().equals(submission.strand())) {
      throw new IllegalArgumentException("there is no strand " + submission.strand());
    }
    LedgerCalls strandCalls = ledgerCalls(log);
    LedgerReader reader = reader(log);
    Appender appender =
        new Appender(pipe, new ReceiptChecker(log, strandCalls), List.of(), workers);
    return new Resender(appender, reader, new JournalReader(strandCalls, reader, log), log)
        .resend(submission);
  }

  /// Opens a ledger by the id you pin: its genesis must hash to it, and only the keys named there
  /// count. The first time, genesis is fetched and its owners' signatures are checked; afterwards
  /// what the trust directory holds is enough, and nothing is asked of the service.
  ///
  /// @param signers sign whatever is appended; none to read only. Unless the configuration names a
  ///   reader, the first of them also signs the tokens for reading
  public LedgerHandle open(LedgerId pinned, ClientKey... signers) throws TallyException {
    return new LedgerHandle(pinned, Opening.done(opened(pinned, List.of(signers))));
  }

  private OpenLedger opened(LedgerId pinned, List<ClientKey> signers) throws TallyException {
    readAs(pinned, signers);
    TrustedLog known = logs.get(pinned);
    if (known != null && known.head().isPresent()) {
      return opened(known, signers);
    }
    Optional<Bytes> saved = TrustFolder.open(config.trustDirectory(), pinned).genesis();
    TrustedLog log =
        pin(
            pinned,
            saved.isPresent() ? saved.get() : LedgerCalls.genesisParams(callsFor(pinned), pinned));
    if (log.head().isEmpty()) {
      new GenesisCheck(ledgerCalls(log), reader(log), log).run();
    }
    return opened(log, signers);
  }

  /// As {@link #open}, when the ledger is first used: nothing is asked of the service now, so that
  /// it need not be there. What {@link #open} would throw, the first call throws, and so does each
  /// further one until the ledger could be opened; calls during an attempt share its outcome. Those
  /// that answer by a future open it before they return.
  public LedgerHandle openLater(LedgerId pinned, ClientKey... signers) {
    List<ClientKey> keys = List.of(signers);
    return new LedgerHandle(pinned, Opening.later(() -> opened(pinned, keys)));
  }

  private TrustedLog pin(LedgerId pinned, Bytes genesis) throws TallyException {
    TrustFolder folder = TrustFolder.open(config.trustDirectory(), pinned);
    ServiceTrust trust;
    try {
      trust = ServiceTrust.of(pinned, genesis, signatures);
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    }
    if (folder.genesis().isEmpty()) {
      folder.saveGenesis(genesis);
    }
    LedgerCalls strandCalls = new LedgerCalls(callsFor(pinned), trust.strand());
    ConsistencySource proofs = (unused, from, to) -> strandCalls.consistency(from, to);
    KeyChainSource chains = unused -> strandCalls.keyChain();
    WitnessQuorum quorum = config.heads().witnesses();
    TrustedLog opened =
        quorum == null
            ? TrustedLog.open(trust, signatures, folder, proofs, chains)
            : TrustedLog.open(
                trust, signatures, folder, proofs, chains, quorum, strandCalls::cosignedCheckpoint);
    TrustedLog earlier = logs.putIfAbsent(pinned, opened);
    return earlier == null ? opened : earlier;
  }

  private OpenLedger opened(TrustedLog log, List<ClientKey> signers) {
    GenesisParams genesis = log.trust().genesis();
    long windowMs = Math.min(genesis.maxWindowMs(), GenesisParams.DEFAULT_WINDOW_MS);
    LedgerCalls strandCalls = ledgerCalls(log);
    LedgerReader reader = limitedReader(log);
    JournalReader journals = new JournalReader(strandCalls, reader, log);
    DraftMaker drafts = new DraftMaker(log.trust().strand(), windowMs, clock, random);
    StrandId strand = log.trust().strand();
    MemberDirectory members = new MemberDirectory(strandCalls, journals, log);
    LineageReader lineage = new LineageReader(strandCalls, reader, log);
    LedgerRemovals removals = new LedgerRemovals(strandCalls, reader, members, lineage, log);
    Appender appender = new Appender(pipe, new ReceiptChecker(log, strandCalls), signers, workers);
    return new OpenLedger(
        log,
        drafts,
        appender,
        reader,
        journals,
        members,
        lineage,
        new StateReader(strandCalls, reader, removals::shownErasure, log),
        new LedgerProposals(
            new ProposalCalls(callsFor(strand.ledger()), strand), members, log, drafts, signers),
        new LedgerAnchors(strandCalls, reader, members, lineage, removals, log, signers, clock),
        new LedgerCertificates(strandCalls, members),
        removals,
        new LedgerProofs(log, reader, removals, drafts, appender, signers));
  }

  /// For founding, meeting and sending again, where the age of a head does not matter.
  private LedgerReader reader(TrustedLog log) {
    return new LedgerReader(ledgerCalls(log), log, new NewestSeal(clock, null));
  }

  /// For reading as the configuration wants it, together with all handles of the ledger.
  private LedgerReader limitedReader(TrustedLog log) {
    NewestSeal seal =
        seals.computeIfAbsent(
            log.trust().ledger(), unused -> new NewestSeal(clock, config.heads().maxAge()));
    return new LedgerReader(ledgerCalls(log), log, seal);
  }

  private LedgerCalls ledgerCalls(TrustedLog log) {
    StrandId strand = log.trust().strand();
    return new LedgerCalls(callsFor(strand.ledger()), strand);
  }

  private void readAs(LedgerId ledger, List<ClientKey> signers) {
    ClientKey reader = config.reader();
    if (reader == null && !signers.isEmpty()) {
      reader = signers.getFirst();
    }
    if (reader != null) {
      readers.putIfAbsent(ledger, new ReadTokens(reader.signer(), clock));
    }
  }

  private ServiceCalls callsFor(LedgerId ledger) {
    return calls.with(
        new BearerToken(() -> {
          ReadTokens tokens = readers.get(ledger);
          return tokens == null ? null : tokens.of(ledger);
        }));
  }

  /// Ends the connection; appends in flight fail with an unknown outcome.
  @Override
  public void close() {
    pipe.close();
    workers.close();
    logs.values().forEach(TrustedLog::close);
    timer.shutdownNow();
    channel.shutdown();
    try {
      if (!channel.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS)) {
        channel.shutdownNow();
      }
    } catch (InterruptedException e) {
      channel.shutdownNow();
      Thread.currentThread().interrupt();
    }
    if (eventLoop != null) {
      Future<?> unused = eventLoop.shutdownGracefully(0, CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    }
  }
}
