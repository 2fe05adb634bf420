package io.tallystick.server.sim.cluster;

import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.Appending;
import io.tallystick.node.KeptProposal;
import io.tallystick.server.host.FreshReads;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.sim.FakeSignatures;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The clients: they ask whichever server they take for the owner, the wrong one too, and repeat
/// what was not answered.
final class ClusterClients {
  private static final long TICK_NANOS = 20_000_000;
  private static final long DELAY_NANOS = 5_000_000;
  private static final long LATE_NANOS = 500_000_000;
  private static final long AGAIN_NANOS = 400_000_000;
  private static final int ATTEMPTS_MAX = 6;
  private static final int LEDGERS_MAX = 3;

  private final ClusterWorld world;
  private final List<SimServer> servers;
  private final SplittableRandom random;
  private final List<ClusterLedger> ledgers = new ArrayList<>();

  /// What clients have last seen of proposals.
  private final List<KeptProposal> seen = new ArrayList<>();

  private SimServer believed;

  ClusterClients(ClusterWorld world, List<SimServer> servers, SplittableRandom random) {
    this.world = world;
    this.servers = servers;
    this.random = random;
    this.believed = servers.getFirst();
    addLedger();
    world.baton().in(TICK_NANOS, this::tick);
  }

  private void addLedger() {
    ClusterLedger ledger =
        new ClusterLedger(
            ClusterWorld.AUTHORITY, world.note(), world.receipt(), nowMs(), random.split());
    ledgers.add(ledger);
    world.history().add(ledger);
  }

  private long nowMs() {
    return SimServer.START_MS + world.baton().nowNanos() / 1_000_000;
  }

  private void tick() {
    world.baton().in(1 + random.nextLong(2 * TICK_NANOS), this::tick);
    ClusterLedger ledger = ledgers.get(random.nextInt(ledgers.size()));
    if (!world.history().isFounded(ledger)) {
      found(ledger);
      return;
    }
    switch (random.nextInt(20)) {
      case 0 -> {
        if (ledgers.size() < LEDGERS_MAX) {
          addLedger();
        }
      }
      case 1, 2, 3 -> askNewest(ledger);
      case 4, 5 -> askSize(ledger);
      case 6 -> askJsn(ledger);
      case 7 -> askKnown(ledger);
      case 8, 9, 10 -> note(ledger);
      default -> append(ledger.request(nowMs()), 0);
    }
  }

  // The network.

  private SimServer someServer() {
    return random.nextInt(4) == 0 ? servers.get(random.nextInt(servers.size())) : believed;
  }

  private long delay() {
    return random.nextLong(random.nextInt(30) == 0 ? LATE_NANOS : DELAY_NANOS);
  }

  private void send(SimServer.Ask ask) {
    SimServer to = someServer();
    world.baton().in(delay(), () -> to.receive(ask));
  }

  /// Takes an answer to its client, unless the process has died that gave it.
  private void reply(SimServer from, Baton.Event event) {
    if (!from.actor.isDead()) {
      world.baton().in(delay(), event);
    }
  }

  /// Something asked of the shard.
  private interface Asking<T> {
    T of(FreshReads reads, Shard shard) throws RequestRejectedException;
  }

  /// @param told of the answer, or of the refusal
  private <T> void ask(Asking<T> asking, Consumer<T> told, Consumer<RequestRejectedException> no) {
    send((server, shard) -> {
      if (shard == null) {
        reply(server, this::elsewhere);
        return;
      }
      try {
        T answer = asking.of(new FreshReads(shard), shard);
        reply(server, () -> told.accept(answer));
      } catch (RequestRejectedException e) {
        world.statistics().unsure += e.code() == RejectionCode.UNAVAILABLE ? 1 : 0;
        reply(server, () -> no.accept(e));
      }
    });
  }

  private void elsewhere() {
    believed = servers.get(random.nextInt(servers.size()));
  }

  // What they ask for.

  private void found(ClusterLedger ledger) {
    send((server, shard) -> {
      if (shard == null) {
        reply(server, this::elsewhere);
        return;
      }
      try {
        var _ =
            shard
                .found(ledger.founding)
                .whenComplete((existed, _) -> {
                  if (existed != null) {
                    reply(server, () -> world.history().founded(ledger));
                  }
                });
      } catch (RequestRejectedException _) {
        reply(server, this::elsewhere);
      }
    });
  }

  private void append(ClusterLedger.Request request, int attempt) {
    world.statistics().requests++;
    boolean[] answered = {false};
    send((server, shard) -> {
      if (shard == null) {
        reply(server, this::elsewhere);
        return;
      }
      AppendTicket ticket = AppendTicket.open();
      var _ =
          ticket
              .receipted()
              .whenComplete((receipt, _) -> {
                if (receipt != null) {
                  reply(
                      server,
                      () -> {
                        answered[0] = true;
                        believed = server;
                        world.statistics().receipts++;
                        world.history().receipted(request, receipt);
                      });
                }
              });
      shard.append(List.of(new Appending(request.submission(), ticket)), 0);
    });
    world
        .baton()
        .in(
            AGAIN_NANOS,
            () -> {
              if (!answered[0] && attempt < ATTEMPTS_MAX) {
                elsewhere();
                append(request, attempt + 1);
              }
            });
  }

  private void askNewest(ClusterLedger ledger) {
    long known = world.history().known(ledger);
    this.<Bytes>ask(
        (reads, shard) ->
            world.bugs().is(Bug.NO_LEASE) ? unleased(shard, ledger) : reads.newest(ledger.strand),
        checkpoint -> {
          world.statistics().heads++;
          world.history().newest(ledger, checkpoint, known);
        },
        _ -> {});
  }

  private static Bytes unleased(Shard shard, ClusterLedger ledger) throws RequestRejectedException {
    try {
      StrandIndex index = shard.indexer().strand(ledger.strand);
      if (index.head().blocks() > 0) {
        return shard.evidence().checkpoint(index, index.head());
      }
    } catch (IOException | CorruptStreamException e) {
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "not readable", e);
    }
    throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "not sealed");
  }

  private void askSize(ClusterLedger ledger) {
    long known = world.history().known(ledger);
    long size = known + random.nextInt(2);
    this.<Boolean>ask(
        (reads, shard) -> {
          if (world.bugs().is(Bug.FUTURE_SIZE_WITHOUT_LEASE)) {
            checkUnleased(shard, ledger, size);
          } else {
            reads.checkSize(ledger.strand, size);
          }
          return true;
        },
        _ -> {},
        refusal -> denied("size " + size, RejectionCode.FUTURE_SIZE, size <= known, refusal));
  }

  private static void checkUnleased(Shard shard, ClusterLedger ledger, long size)
      throws RequestRejectedException {
    try {
      if (shard.sequencer().head(ledger.strand.ledger()) != null
          && shard.indexer().strand(ledger.strand).head().size() < size) {
        throw new RequestRejectedException(RejectionCode.FUTURE_SIZE, "unchecked");
      }
    } catch (IOException | CorruptStreamException e) {
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "not readable", e);
    }
  }

  private void askJsn(ClusterLedger ledger) {
    long known = world.history().known(ledger);
    long jsn = random.nextLong(known + 1);
    this.<Boolean>ask(
        (reads, _) -> {
          reads.checkJsn(ledger.strand, jsn);
          return true;
        },
        _ -> {},
        refusal -> denied("jsn " + jsn, RejectionCode.OUT_OF_RANGE, jsn < known, refusal));
  }

  private void askKnown(ClusterLedger ledger) {
    this.<Boolean>ask(
        (reads, _) -> {
          reads.checkKnown(ledger.strand.ledger());
          return true;
        },
        _ -> {},
        refusal -> denied("a ledger", RejectionCode.UNKNOWN_LEDGER, true, refusal));
  }

  /// @param isThere whether it was known when it was asked for
  private void denied(
      String what, RejectionCode code, boolean isThere, RequestRejectedException refusal) {
    if (refusal.code() == code) {
      world.statistics().refusals++;
      if (isThere) {
        throw ClusterHistory.denied(what, refusal);
      }
    }
  }

  // Proposals.

  private void note(ClusterLedger ledger) {
    int drawn = random.nextInt(6);
    if (seen.isEmpty() || drawn == 0) {
      KeptProposal first = ledger.proposal(nowMs());
      change(
          null,
          first,
          () -> {
            world.history().proposed(first);
            remember(first);
          });
    } else if (drawn < 3) {
      look(seen.get(random.nextInt(seen.size())));
    } else {
      KeptProposal before = seen.get(random.nextInt(seen.size()));
      FakeSignatures.Key owner = ownerOf(before);
      if (!before.proposal().signedBy(owner.kid())) {
        KeptProposal after = new KeptProposal(before.proposal().signedBy(owner), before.outcome());
        change(
            before,
            after,
            () -> {
              world.history().signed(after, owner.kid());
              remember(after);
            });
      }
    }
  }

  private FakeSignatures.Key ownerOf(KeptProposal proposal) {
    for (ClusterLedger ledger : ledgers) {
      if (ledger.strand.ledger().equals(proposal.ledger())) {
        return ledger.owner();
      }
    }
    throw new AssertionError("a proposal of no ledger");
  }

  private void remember(KeptProposal proposal) {
    seen.removeIf(each -> each.requestHash().equals(proposal.requestHash()));
    seen.add(proposal);
  }

  private void look(KeptProposal one) {
    this.<Optional<KeptProposal>>ask(
        (_, shard) -> shard.tables().proposals().find(one.ledger(), one.requestHash()),
        found -> found.ifPresent(this::remember),
        _ -> {});
  }

  private void change(@Nullable KeptProposal before, KeptProposal after, Runnable done) {
    send((server, shard) -> {
      if (shard == null) {
        reply(server, this::elsewhere);
        return;
      }
      var written = shard.tables().proposals().replaceLater(expected(shard, before, after), after);
      if (world.bugs().is(Bug.NOTE_PAST_FRAME) && holds(shard, before, after)) {
        reply(server, done::run);
        return;
      }
      var _ =
          written.whenComplete((is, _) -> {
            if (is != null && is) {
              world.statistics().notes++;
              reply(server, done::run);
            }
          });
    });
  }

  private static boolean holds(Shard shard, @Nullable KeptProposal before, KeptProposal after) {
    try {
      return shard
          .tables()
          .proposals()
          .find(after.ledger(), after.requestHash())
          .equals(Optional.ofNullable(before));
    } catch (RequestRejectedException _) {
      return false;
    }
  }

  private @Nullable KeptProposal expected(
      Shard shard, @Nullable KeptProposal before, KeptProposal after) {
    if (!world.bugs().is(Bug.LOSES_COMPARE_AND_SET)) {
      return before;
    }
    try {
      return shard.tables().proposals().find(after.ledger(), after.requestHash()).orElse(null);
    } catch (RequestRejectedException _) {
      return before;
    }
  }
}
