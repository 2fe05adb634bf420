package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.EraseCertificatesRequest;
import io.tallystick.api.v1.GetBlockRequest;
import io.tallystick.api.v1.GetCertificatesRequest;
import io.tallystick.api.v1.GetCheckpointRequest;
import io.tallystick.api.v1.GetConsistencyProofRequest;
import io.tallystick.api.v1.GetErasureRequest;
import io.tallystick.api.v1.GetInclusionProofRequest;
import io.tallystick.api.v1.GetJournalRequest;
import io.tallystick.api.v1.GetJournalsRequest;
import io.tallystick.api.v1.GetKeyChainRequest;
import io.tallystick.api.v1.GetLastGrantTimeRequest;
import io.tallystick.api.v1.GetLedgerRequest;
import io.tallystick.api.v1.GetReceiptRequest;
import io.tallystick.api.v1.GetTileRequest;
import io.tallystick.api.v1.GetTrustedAnchorRequest;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.api.v1.ListJournalsRequest;
import io.tallystick.api.v1.ListMembersRequest;
import io.tallystick.api.v1.LogChunk;
import io.tallystick.api.v1.ReadLogRequest;
import io.tallystick.api.v1.RequestTimeRequest;
import io.tallystick.api.v1.ShowCertificatesRequest;
import io.tallystick.api.v1.VerifyRequest;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.ReadTokens;
import io.tallystick.client.ServiceChannel;
import io.tallystick.client.TallyClient;
import io.tallystick.client.wire.BearerToken;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.model.Bytes;
import io.tallystick.model.Role;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: gRPC keeps a private ledger to its members as REST does, and founders to the operator's
/// list. Method: a real service, every method that the two services have, and members who are
/// added, limited and revoked.
class AccessTest {
  private static final Set<String> OPEN =
      Set.of("GetServiceDescription", "CreateLedger", "ListLedgers", "Append", "SetTrustedAnchor");

  /// Of certificates, which this ledger has none of, and of times, which this service gets from
  /// nobody.
  private static final Set<String> NOTHING_THERE =
      Set.of("ShowCertificates", "GetCertificates", "EraseCertificates", "RequestTime");

  private static final int BODY_BYTES = 900 << 10;

  @TempDir private static Path home;
  private static final ClientKey OWNER = ClientKey.generate();
  private static RunningService service;
  private static TallyClient client;
  private static LedgerHandle ledger;
  private static ManagedChannel channel;

  @BeforeAll
  static void start() throws Exception {
    service =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
    ClientConfig config = ClientConfig.of(service.target(), home.resolve("trust"));
    client = TallyClient.connect(config);
    ledger = client.createLedger("kept", List.of(OWNER), LedgerOptions.DEFAULT);
    ledger.append(JournalDraft.text("secret"));
    Bytes _ = ledger.anchors().share(ledger.checkpoint());
    channel = ServiceChannel.reading(config, ledger.id());
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    client.close();
    service.close();
  }

  private static ByteString id() {
    return WireBytes.toWire(ledger.id().digest());
  }

  private static LedgerServiceGrpc.LedgerServiceBlockingStub ledgers(Channel to) {
    return LedgerServiceGrpc.newBlockingStub(to);
  }

  private static JournalServiceGrpc.JournalServiceBlockingStub journals(Channel to) {
    return JournalServiceGrpc.newBlockingStub(to);
  }

  /// Each method that reads, asked for something that is there.
  private static Map<String, Consumer<Channel>> reads() {
    Map<String, Consumer<Channel>> all = new TreeMap<>(journalsAndMembers());
    all.putAll(proofs());
    all.put(
        "Verify",
        to -> journals(to).verify(VerifyRequest.newBuilder().setLedgerId(id()).setJsn(2).build()));
    return all;
  }

  private static Map<String, Consumer<Channel>> journalsAndMembers() {
    return Map.ofEntries(
        Map.entry(
            "GetLedger",
            to -> ledgers(to).getLedger(GetLedgerRequest.newBuilder().setLedgerId(id()).build())),
        Map.entry(
            "ListMembers",
            to ->
                ledgers(to).listMembers(ListMembersRequest.newBuilder().setLedgerId(id()).build())),
        Map.entry(
            "GetJournal",
            to ->
                journals(to)
                    .getJournal(
                        GetJournalRequest.newBuilder().setLedgerId(id()).setJsn(2).build())),
        Map.entry(
            "GetJournals",
            to ->
                journals(to)
                    .getJournals(
                        GetJournalsRequest.newBuilder().setLedgerId(id()).addJsn(2).build())),
        Map.entry(
            "ListJournals",
            to ->
                journals(to)
                    .listJournals(ListJournalsRequest.newBuilder().setLedgerId(id()).build())),
        Map.entry(
            "GetReceipt",
            to ->
                journals(to)
                    .getReceipt(
                        GetReceiptRequest.newBuilder().setLedgerId(id()).setJsn(2).build())),
        Map.entry(
            "GetTile",
            to ->
                journals(to)
                    .getTile(GetTileRequest.newBuilder().setLedgerId(id()).setWidth(1).build())));
  }

  private static Map<String, Consumer<Channel>> proofs() {
    return Map.ofEntries(
        Map.entry(
            "GetInclusionProof",
            to ->
                journals(to)
                    .getInclusionProof(
                        GetInclusionProofRequest.newBuilder().setLedgerId(id()).setJsn(2).build())),
        Map.entry(
            "GetConsistencyProof",
            to ->
                journals(to)
                    .getConsistencyProof(
                        GetConsistencyProofRequest.newBuilder()
                            .setLedgerId(id())
                            .setFromSize(1)
                            .build())),
        Map.entry(
            "GetBlock",
            to ->
                journals(to)
                    .getBlock(GetBlockRequest.newBuilder().setLedgerId(id()).setJsn(2).build())),
        Map.entry(
            "GetCheckpoint",
            to ->
                journals(to)
                    .getCheckpoint(GetCheckpointRequest.newBuilder().setLedgerId(id()).build())),
        Map.entry(
            "GetKeyChain",
            to ->
                journals(to)
                    .getKeyChain(GetKeyChainRequest.newBuilder().setLedgerId(id()).build())),
        Map.entry(
            "GetTrustedAnchor",
            to ->
                journals(to)
                    .getTrustedAnchor(
                        GetTrustedAnchorRequest.newBuilder().setLedgerId(id()).build())),
        Map.entry(
            "GetLastGrantTime",
            to ->
                unlessNone(() ->
                    journals(to)
                        .getLastGrantTime(
                            GetLastGrantTimeRequest.newBuilder().setLedgerId(id()).build()))),
        Map.entry(
            "GetErasure",
            to ->
                unlessNone(() ->
                    journals(to)
                        .getErasure(
                            GetErasureRequest.newBuilder().setLedgerId(id()).setJsn(2).build()))),
        Map.entry(
            "ReadLog",
            to ->
                journals(to)
                    .readLog(ReadLogRequest.newBuilder().setLedgerId(id()).build())
                    .next()));
  }

  /// This service has no time authority, and no body is erased; it says so to whoever may read.
  private static void unlessNone(Runnable read) {
    try {
      read.run();
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() != Status.Code.OUT_OF_RANGE) {
        throw e;
      }
    }
  }

  private static Channel as(@Nullable ClientKey reader) {
    ReadTokens tokens = reader == null ? null : new ReadTokens(reader);
    return ClientInterceptors.intercept(
        channel, new BearerToken(() -> tokens == null ? null : tokens.of(ledger.id())));
  }

  private static void refused(Consumer<Channel> read, Channel as, Status.Code status, String code) {
    StatusRuntimeException refusal =
        catchThrowableOfType(StatusRuntimeException.class, () -> read.accept(as));
    assertThat(refusal).isNotNull();
    assertThat(refusal.getStatus().getCode()).isEqualTo(status);
    assertThat(Objects.requireNonNull(ProblemTrailer.of(refusal)).getCode()).isEqualTo(code);
  }

  @Test
  void everyMethodIsEitherOpenOrInTheTable() {
    Set<String> methods =
        Stream.of(
                LedgerServiceGrpc.getServiceDescriptor(), JournalServiceGrpc.getServiceDescriptor())
            .flatMap(each -> each.getMethods().stream())
            .map(MethodDescriptor::getBareMethodName)
            .collect(Collectors.toCollection(TreeSet::new));
    methods.removeAll(OPEN);
    assertThat(methods).containsAll(NOTHING_THERE);
    methods.removeAll(NOTHING_THERE);
    assertThat(reads().keySet()).isEqualTo(methods);
  }

  @Test
  void certificatesAndTimesAreForMembersToo() {
    ByteString chain =
        WireBytes.toWire(TestAuthority.root("root").chain("Ada", OWNER.publicKey()).encode());
    List<Consumer<Channel>> calls =
        List.of(
            to ->
                ledgers(to)
                    .showCertificates(
                        ShowCertificatesRequest.newBuilder()
                            .setLedgerId(id())
                            .setChain(chain)
                            .build()),
            to ->
                ledgers(to)
                    .getCertificates(
                        GetCertificatesRequest.newBuilder()
                            .setLedgerId(id())
                            .setKid(WireBytes.toWire(OWNER.kid()))
                            .build()),
            to ->
                ledgers(to)
                    .eraseCertificates(
                        EraseCertificatesRequest.newBuilder()
                            .setLedgerId(id())
                            .setCertDigest(WireBytes.toWire(OWNER.kid()))
                            .build()),
            to ->
                journals(to)
                    .requestTime(RequestTimeRequest.newBuilder().setLedgerId(id()).build()));
    calls.forEach(call -> refused(call, as(null), Status.Code.UNAUTHENTICATED, "token_required"));
    refused(calls.getFirst(), as(OWNER), Status.Code.INVALID_ARGUMENT, "certificate_invalid");
    refused(calls.get(1), as(OWNER), Status.Code.NOT_FOUND, "unknown_certificate");
    refused(calls.get(2), as(OWNER), Status.Code.NOT_FOUND, "unknown_certificate");
    refused(calls.getLast(), as(OWNER), Status.Code.FAILED_PRECONDITION, "time_not_configured");
  }

  @Test
  void membersReadAndNobodyElseDoes() {
    reads()
        .forEach((name, read) -> {
          read.accept(as(OWNER));
          refused(read, as(null), Status.Code.UNAUTHENTICATED, "token_required");
          refused(read, as(ClientKey.generate()), Status.Code.UNAUTHENTICATED, "token_invalid");
        });
  }

  @Test
  void aVerifyOnlyMemberReadsNoBodies() throws Exception {
    ClientKey auditor = ClientKey.generate();
    ledger.addMember(Role.VERIFY_ONLY, auditor.publicKey());
    Set<String> bodies = Set.of("GetJournal", "GetJournals", "ListJournals", "ReadLog");
    reads()
        .forEach((name, read) -> {
          if (bodies.contains(name)) {
            refused(read, as(auditor), Status.Code.PERMISSION_DENIED, "role_not_allowed");
          } else {
            read.accept(as(auditor));
          }
        });
    ReadLogRequest evidence =
        ReadLogRequest.newBuilder().setLedgerId(id()).setWithoutBodies(true).build();
    assertThat(journals(as(auditor)).readLog(evidence).next().getEntriesCount()).isPositive();
  }

  @Test
  void aStreamEndsWhenItsReaderIsRevoked() throws Exception {
    ClientKey reader = ClientKey.generate();
    ledger.addMember(Role.READ_ONLY, reader.publicKey());
    // More than a client and a service hold between them before the first chunk is taken.
    for (int i = 0; i < 24; i++) {
      ledger.append(JournalDraft.of(Bytes.wrap(new byte[BODY_BYTES]), ""));
    }
    Iterator<LogChunk> log =
        journals(as(reader)).readLog(ReadLogRequest.newBuilder().setLedgerId(id()).build());
    log.next();
    ledger.revokeMember(reader.kid());
    StatusRuntimeException refusal =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () -> {
              while (log.hasNext()) {
                log.next();
              }
            });
    assertThat(refusal).isNotNull();
    assertThat(Objects.requireNonNull(ProblemTrailer.of(refusal)).getCode())
        .isEqualTo("token_invalid");
  }

  @Test
  void onlyListedAndInvitedFoundersFound() throws Exception {
    Path listed = key("listed.pem");
    Path invited = key("invited.pem");
    Path inviter = key("inviter.pem");
    Path founders = home.resolve("founders.txt");
    ClientKey boss = ClientKey.load(inviter);
    Files.writeString(
        founders,
        String.format(
            Locale.ROOT,
            "founder %s\ninviter %s\n",
            ClientKey.load(listed).kid().hex(),
            boss.publicKey().spki().hex()));
    try (RunningService strict =
        TallystickService.start(
            LocalNode::open,
            ServiceProperties.of(home.resolve("strict"), 0).withFounders(founders))) {
      Cli cli = new Cli(strict.target(), home.resolve("strict-trust").toString());
      cli.call("ledger", "create", "mine", "--key", listed).hasStatus(0);
      assertThat(
              cli.call("ledger", "create", "his", "--key", invited)
                  .hasStatus(ExitCode.REFUSED)
                  .err())
          .startsWith("tally: refused (founding_not_allowed): ");
      String kid = ClientKey.load(invited).kid().hex();
      Object[] invite = {"invite", "--key", inviter, "--authority", "localhost", "--for", kid};
      String token = Cli.run(invite).hasStatus(0).out().strip();
      cli.call("ledger", "create", "his", "--key", invited, "--invitation", token).hasStatus(0);
      assertThat(
              cli.call("ledger", "create", "bad", "--key", invited, "--invitation", token + "A")
                  .hasStatus(ExitCode.REFUSED)
                  .err())
          .startsWith("tally: refused (token_invalid): ");
      assertThat(cli.withReader(invited).call("ledger", "list").hasStatus(0).out())
          .contains("his")
          .doesNotContain("mine");
    }
  }

  private static Path key(String name) {
    Path file = home.resolve(name);
    Cli.run("keygen", file).hasStatus(0);
    return file;
  }

  @Test
  void noTokenForAWholeServiceIsSignedForANameThatWasNotAskedFor() throws Exception {
    Path key = key("careful.pem");
    try (RunningService impostor =
        TallystickService.start(
            LocalNode::open,
            "--tallystick.data-dir=" + home.resolve("impostor"),
            "--tallystick.port=0",
            "--tallystick.authority=ledger.example.com")) {
      Cli cli = new Cli(impostor.target(), home.resolve("t").toString()).withReader(key);
      assertThat(cli.call("ledger", "list").hasStatus(ExitCode.USAGE).err())
          .contains("calls itself ledger.example.com", "--authority");
      cli.call("ledger", "create", "known", "--key", key).hasStatus(0);
      Object[] named = {"ledger", "list", "--authority", "ledger.example.com"};
      assertThat(cli.call(named).hasStatus(0).out()).contains("known");
    }
  }
}
