package io.tallystick.server.proposal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestDraft;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.Member;
import io.tallystick.node.OpenProposals;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.note.TestNotes;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Fixtures;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: proposals are kept until they expire, no more than a ledger may have, and change only if
/// they are what the caller thinks; after a restart the same ones are there. Method: a table over
/// RocksDB and frames, of which a savepoint holds the first, and a clock that the test sets.
class ProposalTableTest {
  private static final long NOW = Fixtures.TIME_MS;
  private static final Signer EVE = Fixtures.CAROL;
  private static final LedgerId LEDGER = Fixtures.ledger().params().ledgerId();

  @TempDir private Path directory;
  private RocksMetaStore meta;
  private TestNotes notes;
  private ProposalTable table;
  private long nowMs = NOW;
  private final InstantSource clock = () -> Instant.ofEpochMilli(nowMs);
  private final Map<Digest, Role> roles = new HashMap<>(Map.of(kid(Fixtures.ALICE), Role.OWNER));

  @BeforeEach
  void open() throws Exception {
    meta = RocksMetaStore.open(directory.resolve("meta"));
    notes = TestNotes.over(meta, () -> nowMs, this::member);
    table = table();
  }

  private ProposalTable table() throws Exception {
    return ProposalTable.open(notes.rows(), notes, (_, kid) -> member(kid), clock);
  }

  @AfterEach
  void close() throws Exception {
    meta.close();
  }

  private boolean replace(@Nullable KeptProposal before, KeptProposal after)
      throws RequestRejectedException {
    return table.replace(before, after);
  }

  private Optional<Member> member(Digest kid) {
    return Stream.of(Fixtures.ALICE, Fixtures.BOB, EVE)
        .filter(signer -> kid(signer).equals(kid) && roles.containsKey(kid))
        .findFirst()
        .map(signer ->
            new Member(
                signer.publicKey(), Objects.requireNonNull(roles.get(kid)), 0, Member.NEVER));
  }

  private void restart() throws Exception {
    notes.savepoint(1);
    meta.close();
    meta = RocksMetaStore.open(directory.resolve("meta"));
    notes = notes.reopened(meta);
    table = table();
    notes.replay();
  }

  private static Digest kid(Signer signer) {
    return signer.publicKey().kid();
  }

  private static KeptProposal kept(int number, long windowMs, Outcome outcome) {
    return kept(number, windowMs, outcome, Fixtures.ALICE);
  }

  private static KeptProposal kept(int number, long windowMs, Outcome outcome, Signer... signers) {
    return kept(LEDGER, number, windowMs, outcome, signers);
  }

  private static KeptProposal kept(
      LedgerId ledger, int number, long windowMs, Outcome outcome, Signer... signers) {
    Bytes salt = Bytes.wrap(ByteBuffer.allocate(32).putInt(0, number + 1).array());
    Proposal proposal =
        Proposal.of(
            RequestDraft.govern(
                    new StrandId(ledger, 0), Kind.CLOSE, Extension.Close.INSTANCE, NOW, salt)
                .withExpiry(NOW + windowMs)
                .build());
    for (Signer signer : signers) {
      proposal = proposal.signedBy(signer);
    }
    return new KeptProposal(proposal, outcome);
  }

  private static KeptProposal open(int number) {
    return kept(number, 1_000, Outcome.Open.INSTANCE);
  }

  private static KeptProposal with(KeptProposal kept, Outcome outcome) {
    return new KeptProposal(kept.proposal(), outcome);
  }

  @Test
  void keepsEveryOutcomeOverARestart() throws Exception {
    List<Outcome> outcomes =
        List.of(
            Outcome.Open.INSTANCE,
            Outcome.Submitting.INSTANCE,
            new Outcome.Committed(7),
            new Outcome.Refused(RejectionCode.LAST_OWNER, "nobody would be left"));
    for (int i = 0; i < outcomes.size(); i++) {
      assertThat(replace(null, kept(i, 1_000, outcomes.get(i)))).isTrue();
    }
    restart();
    for (int i = 0; i < outcomes.size(); i++) {
      KeptProposal kept = kept(i, 1_000, outcomes.get(i));
      assertThat(table.find(LEDGER, kept.requestHash())).contains(kept);
    }
    assertThat(table.submitting()).containsExactly(kept(1, 1_000, Outcome.Submitting.INSTANCE));
    assertThat(table.openCount()).isEqualTo(1);
    List<KeptProposal> first = table.list(LEDGER, null, 3);
    assertThat(first).hasSize(3);
    assertThat(table.list(LEDGER, first.getLast().requestHash(), 3)).hasSize(1);
  }

  @Test
  void changesOnlyWhatTheCallerThinksIsThere() throws Exception {
    KeptProposal one = open(1);
    KeptProposal submitting = with(one, Outcome.Submitting.INSTANCE);
    assertThat(replace(one, submitting)).isFalse();
    assertThat(replace(null, one)).isTrue();
    assertThat(replace(null, submitting)).isFalse();
    assertThat(replace(one, submitting)).isTrue();
    assertThat(replace(one, submitting)).isFalse();
    assertThat(table.remove(one)).isFalse();
    assertThat(table.remove(submitting)).as("its outcome is not known").isFalse();
    KeptProposal refused = with(one, new Outcome.Refused(RejectionCode.LAST_OWNER, ""));
    assertThat(replace(submitting, refused)).isTrue();
    assertThat(table.remove(refused)).isTrue();
    restart();
    assertThat(table.list(LEDGER, null, 10)).isEmpty();
  }

  @Test
  void forgetsWhatHasExpired() throws Exception {
    KeptProposal soon = open(1);
    KeptProposal later = kept(2, 5_000, Outcome.Open.INSTANCE);
    replace(null, soon);
    replace(null, later);
    nowMs = NOW + 1_000;
    assertThat(table.find(LEDGER, soon.requestHash())).as("the last moment").contains(soon);
    nowMs++;
    assertThat(table.find(LEDGER, soon.requestHash())).isEmpty();
    assertThat(table.list(LEDGER, null, 10)).containsExactly(later);
    table.dropGone();
    assertThat(notes.rows().get(ProposalRow.key(LEDGER, soon.requestHash()))).isNull();
    restart();
    assertThat(table.list(LEDGER, null, 10)).containsExactly(later);
  }

  @Test
  void takesNoMoreThanALedgerMayHave() throws Exception {
    for (int i = 0; i < OpenProposals.PER_LEDGER_MAX; i++) {
      replace(null, open(i));
    }
    KeptProposal further = kept(5_000, 9_000, Outcome.Open.INSTANCE);
    refused(further, OpenProposals.PER_LEDGER_MAX, LEDGER.toString());
    KeptProposal done = with(open(3), new Outcome.Committed(9));
    assertThat(replace(open(3), done)).as("a change of one that is there").isTrue();
    assertThat(replace(null, further)).as("in the place of a committed one").isTrue();
    assertThat(table.find(LEDGER, done.requestHash())).isEmpty();
    nowMs = NOW + 1_001;
    assertThat(replace(null, kept(5_001, 9_000, Outcome.Open.INSTANCE))).isTrue();
    restart();
    assertThat(table.list(LEDGER, null, 10)).hasSize(2);
  }

  private void refused(KeptProposal further, int limit, String whose) {
    assertThatThrownBy(() -> replace(null, further))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(RejectionCode.TOO_MANY_PROPOSALS);
              assertThat(refusal.limit()).hasValue(limit);
              assertThat(refusal).hasMessageContaining(whose);
            });
  }

  /// The second member's signature on the first one's proposal takes a place of both.
  @Test
  void aMemberHasItsPlacesAndNoOthers() throws Exception {
    Signer[] both = {EVE, Fixtures.BOB};
    roles.put(kid(EVE), Role.NORMAL);
    roles.put(kid(Fixtures.BOB), Role.REGULATOR);
    for (int i = 0; i < OpenProposals.PER_MEMBER_MAX; i++) {
      assertThat(replace(null, kept(i, 1_000, Outcome.Open.INSTANCE, EVE))).isTrue();
    }
    restart();
    KeptProposal further = kept(100, 1_000, Outcome.Open.INSTANCE, EVE);
    refused(further, OpenProposals.PER_MEMBER_MAX, kid(EVE).hex());
    KeptProposal first = kept(0, 1_000, Outcome.Open.INSTANCE, EVE);
    assertThat(replace(first, kept(0, 1_000, Outcome.Open.INSTANCE, both))).isTrue();
    for (int i = 1; i < OpenProposals.PER_MEMBER_MAX; i++) {
      assertThat(replace(null, kept(200 + i, 1_000, Outcome.Open.INSTANCE, Fixtures.BOB))).isTrue();
    }
    KeptProposal his = kept(300, 1_000, Outcome.Open.INSTANCE, Fixtures.BOB);
    refused(his, OpenProposals.PER_MEMBER_MAX, kid(Fixtures.BOB).hex());
    KeptProposal second = kept(1, 1_000, Outcome.Open.INSTANCE, EVE);
    assertThatThrownBy(() -> replace(second, kept(1, 1_000, Outcome.Open.INSTANCE, both)))
        .isInstanceOf(RequestRejectedException.class);
    assertThat(replace(second, kept(1, 1_000, Outcome.Open.INSTANCE, EVE, Fixtures.ALICE)))
        .as("an owner's, that waits for others")
        .isTrue();
    assertThat(replace(null, further)).as("a place is free again").isTrue();
    roles.remove(kid(EVE));
    table.dropGone();
    assertThat(table.list(LEDGER, null, 1_000))
        .as("those that another may still sign for stay")
        .hasSize(OpenProposals.PER_MEMBER_MAX + 1);
  }

  @Test
  void keepsPlacesForOwnersAndNoneForWhoMaySignNoMore() throws Exception {
    int shared = OpenProposals.PER_LEDGER_MAX - OpenProposals.KEPT_FOR_OWNERS;
    for (int i = 0; i < shared; i++) {
      replace(null, open(i));
    }
    roles.put(kid(EVE), Role.NORMAL);
    KeptProposal eves = kept(5_000, 1_000, Outcome.Open.INSTANCE, EVE);
    refused(eves, shared, "an owner");
    roles.put(kid(Fixtures.BOB), Role.OWNER);
    KeptProposal owners = kept(5_001, 1_000, Outcome.Open.INSTANCE, Fixtures.BOB);
    assertThat(replace(null, owners)).isTrue();
    roles.remove(kid(Fixtures.ALICE));
    assertThat(replace(null, eves)).as("in the place of one that is gone").isTrue();
    table.dropGone();
    assertThat(table.list(LEDGER, null, 10)).containsExactlyInAnyOrder(owners, eves);
  }

  @Test
  void anOutcomeIsNotedThoughNobodyMaySignAnyMore() throws Exception {
    KeptProposal submitting = kept(1, 1_000, Outcome.Submitting.INSTANCE);
    replace(null, submitting);
    KeptProposal done = with(submitting, new Outcome.Committed(9));
    roles.clear();
    assertThat(replace(submitting, done)).isTrue();
    assertThat(table.find(LEDGER, done.requestHash())).contains(done);
  }

  @Test
  void aTableOfAnEarlierOpeningChangesNothing() throws Exception {
    assertThatThrownBy(() ->
            ProposalTable.open(new NoteRows(meta), notes, (_, kid) -> member(kid), clock)
                .replace(null, open(1)))
        .isInstanceOf(RequestRejectedException.class)
        .hasMessageContaining("ask again");
    assertThat(table.openCount()).isZero();
  }

  @Test
  void refusesToOpenOverARowThatIsNotItsOwn() throws Exception {
    Bytes row = ProposalRow.encode(open(1));
    meta.write(new MetaBatch().put(ProposalRow.key(LEDGER, open(2).requestHash()), row));
    assertThatThrownBy(this::table)
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("another proposal");
    Bytes cut = row.slice(0, row.size() - 1);
    meta.write(new MetaBatch().put(ProposalRow.key(LEDGER, open(2).requestHash()), cut));
    assertThatThrownBy(this::table).isInstanceOf(CorruptStreamException.class);
  }
}
