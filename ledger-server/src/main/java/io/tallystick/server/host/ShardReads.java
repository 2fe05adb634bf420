package io.tallystick.server.host;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.ClueRead;
import io.tallystick.node.Done;
import io.tallystick.node.KeptRead;
import io.tallystick.node.LedgerPurges;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.LogRead;
import io.tallystick.node.Member;
import io.tallystick.node.MembersView;
import io.tallystick.node.NodeRead;
import io.tallystick.node.OutsideRead;
import io.tallystick.node.PurgeRead;
import io.tallystick.node.StateRead;
import io.tallystick.node.TimeJournals;
import io.tallystick.node.TimeRead;
import io.tallystick.server.read.KeyChains;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.server.shard.OwnerLease;
import io.tallystick.server.shard.Shard;
import java.util.List;
import java.util.Optional;

/// The answers of a shard to every question. Thread-safe.
final class ShardReads {
  private final Shard shard;
  private final StrandReads strands;
  private final LedgerList ledgers;
  private final RemovalReads removals;
  private final TimeJournals times;
  private final LedgerPurges purges;
  private final OutsideWords words;

  ShardReads(
      Shard shard,
      StrandReads strands,
      RemovalReads removals,
      TimeJournals times,
      LedgerPurges purges,
      OutsideWords words) {
    this.shard = shard;
    this.strands = strands;
    this.ledgers = new LedgerList(shard, strands);
    this.removals = removals;
    this.times = times;
    this.purges = purges;
    this.words = words;
  }

  @SuppressWarnings("unchecked") // what each case answers is what its record names
  <R> R answer(NodeRead<R> read) throws RequestRejectedException {
    OwnerLease lease = shard.lease();
    R answer =
        (R)
            switch (read) {
              case LogRead<R> it -> log(it.strand(), it);
              case LedgerRead<R> it -> ledger(it, lease);
              case ClueRead<R> it -> clue(it.strand(), it);
              case StateRead<R> it -> state(it.strand(), it);
              case TimeRead<R> it -> time(it);
              case KeptRead<R> it -> kept(it);
              case PurgeRead<R> it -> purge(it);
              case OutsideRead<R> it -> outside(it);
            };
    StrandReads.checkOwner(read, lease);
    return answer;
  }

  private Object ledger(LedgerRead<?> read, OwnerLease lease) throws RequestRejectedException {
    return switch (read) {
      case LedgerRead.Ledger(LedgerId id) -> ledgers.ledger(id);
      case LedgerRead.NotDeleted(LedgerId id) -> {
        ledgers.checkNotDeleted(id);
        yield Done.DONE;
      }
      case LedgerRead.Ledgers it ->
          ledgers.ledgers(it.after().orElse(null), it.limit(), it.filter());
      case LedgerRead.Founded it ->
          shard.sequencer().ledgers(it.after().orElse(null)).stream().limit(it.limit()).toList();
      case LedgerRead.NewestFrame _ -> lease.newestFrame();
      case LedgerRead.Count _ -> (long) shard.sequencer().ledgers(null).size();
      case LedgerRead.Members(LedgerId id) -> founded(id, ShardReads::members);
      case LedgerRead.Keys(LedgerId id) ->
          founded(id, strand -> strand.head().members().service().keys());
      case LedgerRead.Chain(LedgerId id) ->
          founded(id, new KeyChains(shard.evidence(), shard.log())::of);
      case LedgerRead.IsPublic(LedgerId id) -> isPublic(id, lease);
      case LedgerRead.FindMember(LedgerId id, Digest kid) -> member(id, kid, lease);
      case LedgerRead.FindSigner(LedgerId id, Digest kid) -> {
        Optional<Member> signer = member(id, kid, lease);
        if (signer.isEmpty()) {
          lease.await();
        }
        yield signer;
      }
      case LedgerRead.Possible it -> {
        StrandIndex _ =
            strands.read(
                it.header().strand(), index -> StrandReads.checkPossible(index, it.header()));
        yield Done.DONE;
      }
    };
  }

  private <T> T founded(LedgerId id, StrandReads.StrandRead<T> read)
      throws RequestRejectedException {
    return strands.read(new StrandId(id, 0), read);
  }

  private static MembersView members(StrandIndex strand) {
    SealedHead head = strand.head();
    return new MembersView(head.size(), List.copyOf(head.members().all()));
  }

  /// Of a ledger that there is it never changes.
  private boolean isPublic(LedgerId id, OwnerLease lease) throws RequestRejectedException {
    StrandHead head = shard.sequencer().head(id);
    if (head == null) {
      lease.await();
      return false;
    }
    return head.ledger().params().isPublic();
  }

  private Optional<Member> member(LedgerId id, Digest kid, OwnerLease lease)
      throws RequestRejectedException {
    StrandHead head = shard.sequencer().head(id);
    if (head == null) {
      lease.await();
      throw StrandReads.unknown(id);
    }
    return head.members().find(kid);
  }

  private Object log(StrandId strand, LogRead<?> read) throws RequestRejectedException {
    LogAnswers answers = new LogAnswers(shard.evidence(), shard.log());
    return switch (read) {
      case LogRead.Journal it -> strands.read(strand, index -> answers.journal(index, it));
      case LogRead.Proven it -> strands.read(strand, index -> answers.proven(index, it));
      case LogRead.Bundle it -> strands.read(strand, index -> answers.bundle(index, it));
      case LogRead.NewestSize _ -> strands.<Long>read(strand, index -> index.head().size());
      case LogRead.RangeReceipt _,
          LogRead.Receipt _,
          LogRead.Inclusion _,
          LogRead.Consistency _,
          LogRead.Tile _,
          LogRead.BlockAt _,
          LogRead.BlockOf _ ->
          strands.read(strand, index -> answers.lasting(index, read));
      case LogRead.NewestBlock _ ->
          strands.read(strand, index -> answers.block(index, index.head().height()));
      case LogRead.Checkpoint _ ->
          strands.read(strand, index -> shard.evidence().checkpoint(index, index.head()));
      case LogRead.Erased it -> strands.read(strand, index -> removals.erasure(index, it.jsn()));
      case LogRead.Certificate it ->
          strands.read(strand, index -> removals.certificate(index, it.jsn()));
    };
  }

  private Object clue(StrandId strand, ClueRead<?> read) throws RequestRejectedException {
    return switch (read) {
      case ClueRead.Clue it ->
          strands.read(strand, index -> shard.clues().clue(index, it.clueId()));
      case ClueRead.Lineage it ->
          strands.read(strand, index -> shard.clues().lineage(index, it.query()));
      case ClueRead.Membership it ->
          strands.read(
              strand,
              index -> {
                StrandReads.checkJsn(index, it.jsn());
                return shard.clues().membership(index, it.clueId(), it.jsn());
              });
    };
  }

  private Object state(StrandId strand, StateRead<?> read) throws RequestRejectedException {
    return switch (read) {
      case StateRead.Key it ->
          strands.read(
              strand, index -> shard.state().state(index, it.key(), it.height(), it.withValue()));
      case StateRead.Keys it ->
          strands.read(
              strand,
              index -> shard.state().states(index, it.keys(), it.height(), it.withValues()));
      case StateRead.Page it ->
          strands.read(strand, index -> shard.state().page(index, it.query()));
      case StateRead.History it -> strands.history(strand, it.query());
    };
  }

  private Object time(TimeRead<?> read) throws RequestRejectedException {
    return switch (read) {
      case TimeRead.Unanchored it -> times.unanchored(it.after().orElse(null), it.limit());
      case TimeRead.Newest it -> times.newest(it.strand());
      case TimeRead.Stamped it -> times.stamped(it.strand(), it.size());
      case TimeRead.LastAt it -> times.lastAt(it.strand(), it.timeMs());
    };
  }

  private Object kept(KeptRead<?> read) throws RequestRejectedException {
    return switch (read) {
      case KeptRead.Proposal it -> shard.tables().proposals().find(it.ledger(), it.requestHash());
      case KeptRead.Proposals it ->
          shard.tables().proposals().list(it.ledger(), it.after().orElse(null), it.limit());
      case KeptRead.Submitting _ -> shard.tables().proposals().submitting();
      case KeptRead.OpenCount _ -> shard.tables().proposals().openCount();
      case KeptRead.NearestAnchor it ->
          shard.tables().anchors().nearest(it.strand(), it.size(), it.signers());
      case KeptRead.Certificates it -> shard.tables().chains().find(it.ledger(), it.certDigest());
    };
  }

  private Object outside(OutsideRead<?> read) {
    return switch (read) {
      case OutsideRead.WantedTimes _ -> words.wanted();
      case OutsideRead.WhyNoTime it -> words.whyNoTime(it.strand());
      case OutsideRead.Marks it -> shard.tables().readOnly().of(it.ledger());
      case OutsideRead.MarkedCount _ -> shard.tables().readOnly().count();
      case OutsideRead.Cosigned it -> words.cosigned(it.strand());
    };
  }

  private Object purge(PurgeRead<?> read) throws RequestRejectedException {
    return switch (read) {
      case PurgeRead.PseudoGenesis it -> purges.pseudoGenesis(it.strand());
      case PurgeRead.Window it -> purges.window(it.strand());
      case PurgeRead.Clues it ->
          purges.clues(it.strand(), it.firstKept(), it.offset(), it.bytesMax());
      case PurgeRead.State it ->
          purges.state(it.strand(), it.firstKept(), it.offset(), it.bytesMax());
    };
  }
}
