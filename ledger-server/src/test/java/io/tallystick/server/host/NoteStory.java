package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.evidence.Anchor;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestDraft;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.TreeSize;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptAnchors;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.OpenProposals;
import io.tallystick.testkit.Fixtures;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// Journals, proposals and anchors of one ledger, change by change, and what is kept after each.
final class NoteStory {
  private static final int ANCHORS = KeptAnchors.PER_MEMBER_MAX + 3;

  /// What is kept of one ledger.
  ///
  /// @param anchors sizes of those of one member
  record Kept(Map<Digest, KeptProposal> proposals, TreeSet<Long> anchors) {
    static final Kept NOTHING = new Kept(Map.of(), new TreeSet<>());

    Kept with(KeptProposal proposal) {
      Map<Digest, KeptProposal> more = new HashMap<>(proposals);
      more.put(proposal.requestHash(), proposal);
      return new Kept(more, anchors);
    }

    Kept without(KeptProposal proposal) {
      Map<Digest, KeptProposal> less = new HashMap<>(proposals);
      less.remove(proposal.requestHash());
      return new Kept(less, anchors);
    }

    Kept withAnchor(long size) {
      TreeSet<Long> more = new TreeSet<>(anchors);
      if (!more.contains(size) && more.size() == KeptAnchors.PER_MEMBER_MAX) {
        more.pollFirst();
      }
      more.add(size);
      return new Kept(proposals, more);
    }
  }

  /// One change, or several at once.
  interface Change {
    /// What may be kept when it is not answered.
    List<Kept> outcomes(Kept before);

    /// @return what is kept when it is answered
    Kept ask(TestNode service, Kept before) throws Exception;
  }

  /// Of two that were asked for at once, one was answered.
  static final class HalfAnsweredException extends Exception {
    private static final long serialVersionUID = 1;
    final transient Kept kept;

    HalfAnsweredException(Kept kept, Throwable cause) {
      super(cause);
      this.kept = kept;
    }
  }

  private final Fixtures ledger = Fixtures.ledger();

  /// Built once: some keys sign the same in another way each time.
  final List<Change> changes = changes();

  private List<Change> changes() {
    KeptProposal first = proposal(1);
    KeptProposal second = proposal(2);
    KeptProposal bobs = signed(first, Fixtures.BOB);
    KeptProposal carols = signed(first, Fixtures.CAROL);
    List<Change> all = new ArrayList<>();
    all.add(journal(1));
    all.add(replace(null, first));
    all.add(replace(null, second));
    all.add(journal(2));
    all.add(new AtOnce(first, bobs, carols));
    all.add(journal(3));
    all.add(withdraw(second));
    for (int size = 1; size <= ANCHORS; size++) {
      all.add(anchor(size));
    }
    all.add(journal(4));
    KeptProposal third = proposal(3);
    KeptProposal submitting = new KeptProposal(third.proposal(), Outcome.Submitting.INSTANCE);
    all.add(replace(null, third));
    all.add(replace(third, submitting));
    all.add(replace(submitting, new KeptProposal(third.proposal(), new Outcome.Committed(3))));
    return List.copyOf(all);
  }

  private KeptProposal proposal(int number) {
    Bytes salt = Bytes.wrap(ByteBuffer.allocate(32).putInt(0, number).array());
    return new KeptProposal(
        Proposal.of(
                RequestDraft.govern(
                        ledger.strand(),
                        Kind.CLOSE,
                        Extension.Close.INSTANCE,
                        Fixtures.TIME_MS,
                        salt)
                    .withExpiry(Fixtures.TIME_MS + 1_000_000)
                    .build())
            .signedBy(Fixtures.ALICE),
        Outcome.Open.INSTANCE);
  }

  private static KeptProposal signed(KeptProposal kept, Signer signer) {
    return new KeptProposal(kept.proposal().signedBy(signer), kept.outcome());
  }

  /// What the service says is kept.
  Kept read(TestNode service) throws RequestRejectedException {
    Map<Digest, KeptProposal> proposals = new HashMap<>();
    for (KeptProposal each : proposals(service).list(ledger.strand().ledger(), null, 100)) {
      proposals.put(each.requestHash(), each);
    }
    TreeSet<Long> sizes = new TreeSet<>();
    Set<Digest> signers = Set.of(Fixtures.ALICE.publicKey().kid());
    KeptAnchors anchors = service.node.keptAnchors().orElseThrow();
    Optional<KeptAnchor> next = anchors.nearest(ledger.strand(), Long.MAX_VALUE, signers);
    while (next.isPresent()) {
      long size = next.get().anchor().size().value();
      sizes.add(size);
      next = anchors.nearest(ledger.strand(), size - 1, signers);
    }
    return new Kept(proposals, sizes);
  }

  /// Returns once the shard has committed something more, so that it is not about to open itself
  /// again.
  void awaitServing(TestNode service) throws RequestRejectedException {
    var _ = service.append(ledger, ledger.single(100));
  }

  private static OpenProposals proposals(TestNode service) {
    return service.node.openProposals().orElseThrow();
  }

  /// One that can have one outcome.
  private record One(Ask asked, Then then) implements Change {
    private interface Ask {
      void ask(TestNode service) throws Exception;
    }

    private interface Then {
      Kept after(Kept before);
    }

    @Override
    public List<Kept> outcomes(Kept before) {
      return List.of(before, then.after(before));
    }

    @Override
    public Kept ask(TestNode service, Kept before) throws Exception {
      asked.ask(service);
      return then.after(before);
    }
  }

  private Change journal(int number) {
    return new One(service -> service.append(ledger, ledger.single(number)), before -> before);
  }

  private static Change replace(@Nullable KeptProposal before, KeptProposal after) {
    return new One(
        service -> assertThat(proposals(service).replace(before, after)).isTrue(),
        kept -> kept.with(after));
  }

  private static Change withdraw(KeptProposal one) {
    return new One(
        service -> assertThat(proposals(service).remove(one)).isTrue(), kept -> kept.without(one));
  }

  private Change anchor(long size) {
    Anchor anchor = new Anchor(ledger.strand(), new TreeSize(size), new JournalRoot(Digest.ZERO));
    KeptAnchor kept =
        new KeptAnchor(anchor, Fixtures.ALICE.publicKey().kid(), anchor.sign(Fixtures.ALICE));
    return new One(
        service -> service.node.keptAnchors().orElseThrow().keep(kept),
        before -> before.withAnchor(size));
  }

  /// Two members sign what both have seen, at the same time: one is too late.
  private record AtOnce(KeptProposal seen, KeptProposal one, KeptProposal other) implements Change {
    @Override
    public List<Kept> outcomes(Kept before) {
      return List.of(before, before.with(one), before.with(other));
    }

    @Override
    public Kept ask(TestNode service, Kept before) throws Exception {
      CompletableFuture<Boolean> first = sign(service, one);
      CompletableFuture<Boolean> second = sign(service, other);
      Boolean firstDone = answer(first);
      Boolean secondDone = answer(second);
      if (firstDone == null && secondDone == null) {
        throw new IllegalStateException("none was answered");
      }
      boolean firstWon = firstDone != null ? firstDone : !Boolean.TRUE.equals(secondDone);
      Kept kept = before.with(firstWon ? one : other);
      if (firstDone == null || secondDone == null) {
        throw new HalfAnsweredException(kept, new IllegalStateException("one was not answered"));
      }
      assertThat(firstDone).as("a signature is lost, or none was taken").isNotEqualTo(secondDone);
      return kept;
    }

    private CompletableFuture<Boolean> sign(TestNode service, KeptProposal after) {
      return CompletableFuture.supplyAsync(() -> {
        try {
          return proposals(service).replace(seen, after);
        } catch (RequestRejectedException e) {
          throw new CompletionException(e);
        }
      });
    }

    private static @Nullable Boolean answer(CompletableFuture<Boolean> asked) {
      try {
        return asked.join();
      } catch (CompletionException e) {
        return null;
      }
    }
  }
}
