package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.LedgerProposals;
import io.tallystick.client.ProposalStatus;
import io.tallystick.client.ProposalStatus.Policy;
import io.tallystick.client.ProposalStatus.State;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: programs sign together through the SDK, over gRPC. Method: two clients with a trust
/// directory and a key each, and a real service that restarts between the two signatures; two
/// owners that leave at one time.
class KeptProposalsTest {
  private static final int ROUNDS = 8;

  @TempDir private Path home;

  private final ClientKey ada = ClientKey.generate();
  private final ClientKey bo = ClientKey.generate();

  private RunningService serve() throws Exception {
    return TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
  }

  private TallyClient client(RunningService service, String user) throws Exception {
    return TallyClient.connect(ClientConfig.of(service.target(), home.resolve(user)));
  }

  @Test
  void twoClientsCloseALedgerAndTheServiceRestartsInBetween() throws Exception {
    LedgerId id;
    Digest hash;
    try (RunningService service = serve();
        TallyClient client = client(service, "ada")) {
      LedgerHandle ledger =
          client.createLedger("together", List.of(ada, bo), LedgerOptions.DEFAULT);
      id = ledger.id();
      Proposal asked =
          ledger.proposals().draft(Kind.CLOSE, Extension.Close.INSTANCE, Duration.ofDays(3));
      hash = asked.requestHash();
      ProposalStatus kept = ledger.proposals().put(asked);
      assertThat(kept.state()).isEqualTo(State.OPEN);
      assertThat(kept.policy()).isEqualTo(Policy.EVERY_OWNER);
      assertThat(kept.missing()).extracting(ProposalStatus.Signer::kid).containsExactly(bo.kid());
    }
    try (RunningService service = serve();
        TallyClient client = client(service, "bo")) {
      LedgerHandle ledger = client.open(id, bo);
      assertThat(ledger.proposals().list())
          .extracting(ProposalStatus::requestHash)
          .containsExactly(hash);
      Proposal seen = ledger.proposals().get(hash);
      assertThat(seen.request().extension()).isEqualTo(Extension.Close.INSTANCE);
      ProposalStatus done = ledger.proposals().sign(seen);
      assertThat(done.state()).isEqualTo(State.COMMITTED);
      Jsn jsn = done.jsn().orElseThrow();
      assertThat(ledger.get(jsn).header().orElseThrow().kind()).isEqualTo(Kind.CLOSE);
      assertThatThrownBy(() -> ledger.proposals().withdraw(hash))
          .isInstanceOfSatisfying(
              RequestRefusedException.class,
              refused -> assertThat(refused.code()).isEqualTo("replayed"));
    }
  }

  @Test
  void aProposalIsWithdrawnAndAStrangerIsRefused() throws Exception {
    try (RunningService service = serve();
        TallyClient client = client(service, "ada");
        TallyClient other = client(service, "eve")) {
      LedgerHandle ledger =
          client.createLedger(
              "apart",
              List.of(ada, bo),
              new LedgerOptions(true, LedgerOptions.DEFAULT.requestWindow()));
      Proposal asked =
          ledger.proposals().draft(Kind.CLOSE, Extension.Close.INSTANCE, Duration.ofHours(1));
      ledger.proposals().put(asked);
      LedgerHandle strangers = other.open(ledger.id(), ClientKey.generate());
      assertRefused("unknown_key", () -> strangers.proposals().sign(asked));
      assertRefused("token_invalid", () -> strangers.proposals().get(asked.requestHash()));
      ledger.proposals().withdraw(asked.requestHash());
      assertRefused("unknown_proposal", () -> ledger.proposals().get(asked.requestHash()));
      assertThat(ledger.proposals().list()).isEmpty();
    }
  }

  /// Both leave, each by a proposal of its own, at one time: one owner has to remain.
  @Test
  void oneOfTwoOwnersThatLeaveAtOnceStays() throws Exception {
    try (RunningService service = serve();
        TallyClient client = client(service, "both");
        ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (int round = 0; round < ROUNDS; round++) {
        LedgerId id =
            client.createLedger("race " + round, List.of(ada, bo), LedgerOptions.DEFAULT).id();
        CyclicBarrier start = new CyclicBarrier(2);
        List<Future<ProposalStatus>> leaving = new ArrayList<>();
        for (ClientKey owner : List.of(ada, bo)) {
          LedgerProposals proposals = client.open(id, owner).proposals();
          Proposal asked =
              proposals.draft(
                  Kind.MEMBER_REVOKE, new Extension.MemberRevoke(owner.kid()), Duration.ofHours(1));
          leaving.add(
              threads.submit(() -> {
                start.await();
                return proposals.put(asked);
              }));
        }
        List<ProposalStatus> ended = List.of(leaving.get(0).get(), leaving.get(1).get());
        assertThat(ended)
            .extracting(ProposalStatus::state)
            .containsExactlyInAnyOrder(State.COMMITTED, State.REFUSED);
        assertThat(ended.stream().flatMap(status -> status.refusal().stream()).toList())
            .singleElement()
            .asString()
            .startsWith("last_owner");
      }
    }
  }

  private interface Call {
    void run() throws Exception;
  }

  private static void assertRefused(String code, Call call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            RequestRefusedException.class, refused -> assertThat(refused.code()).isEqualTo(code));
  }
}
