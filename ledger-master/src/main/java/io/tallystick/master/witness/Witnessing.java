package io.tallystick.master.witness;

import io.tallystick.crypto.Signatures;
import io.tallystick.master.witness.AskedWitness.Head;
import io.tallystick.master.witness.AskedWitness.Outcome;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.OutsideRead;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.Cosignature;
import io.tallystick.note.SignedNote;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// The witnesses of a service. Heads of the ledgers that the settings list are shown to all of
/// them, round by round; a ledger in which nothing happens is left alone. It has threads of its
/// own, and no append waits for any of them. Source: C2SP tlog-witness.
public final class Witnessing implements AutoCloseable {
  /// Ledgers whose heads are shown at a time.
  static final int IN_FLIGHT_MAX = 8;

  private static final int FIRST_STRAND = 0;

  private final LedgerNode node;
  private final WitnessWatch watch;
  private final Shelf shelf;
  private final Duration interval;
  private final List<AskedWitness> witnesses;
  private final Map<LedgerId, WitnessedLedger> ledgers = new LinkedHashMap<>();
  private final ExecutorService perLedger =
      Executors.newFixedThreadPool(
          IN_FLIGHT_MAX, Thread.ofVirtual().name("witnessed-", 0).factory());
  private final ExecutorService perWitness =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("witness-ask-", 0).factory());
  private final Thread rounds = Thread.ofVirtual().name("witnessing").unstarted(this::run);

  /// Where cosigned heads are shown to other processes. Each is shown in every round: whoever has
  /// them may have lost them.
  @FunctionalInterface
  public interface Shelf {
    /// Nobody else asks for them.
    Shelf NONE = (_, _) -> {};

    void show(StrandId strand, SignedNote note) throws RequestRejectedException;
  }

  public Witnessing(
      LedgerNode node,
      WitnessSettings settings,
      Signatures signatures,
      WitnessWatch watch,
      Shelf shelf) {
    this.node = node;
    this.watch = watch;
    this.shelf = shelf;
    this.interval = settings.interval();
    this.witnesses =
        settings.witnesses().stream()
            .map(each ->
                new AskedWitness(
                    each.key(),
                    new WitnessClient(each.key().name(), each.prefix(), settings.timeout()),
                    node,
                    signatures))
            .toList();
    for (LedgerId ledger : settings.ledgers()) {
      ledgers.put(ledger, new WitnessedLedger(ledger, settings.quorum()));
    }
  }

  /// Asks about every ledger once and waits for the answers, so that a ledger of which a witness
  /// has seen more is read-only before it takes an append. A silent witness holds this up for its
  /// timeout; then the ledger serves. Further rounds begin by themselves.
  public void start() throws InterruptedException {
    roundHeld();
    rounds.start();
  }

  public WitnessStatus status() {
    return new WitnessStatus(ledgers.values().stream().map(WitnessedLedger::status).toList());
  }

  /// The newest head that enough witnesses have cosigned, with their lines; empty if there is none
  /// since the start.
  public Optional<SignedNote> cosigned(LedgerId ledger) {
    WitnessedLedger witnessed = ledgers.get(ledger);
    return witnessed == null ? Optional.empty() : witnessed.note();
  }

  /// A note of this ledger with the cosignatures that its head has.
  public SignedNote withCosignatures(LedgerId ledger, SignedNote note) {
    WitnessedLedger witnessed = ledgers.get(ledger);
    return witnessed == null ? note : witnessed.cosigned(note);
  }

  private void run() {
    try {
      while (true) {
        Thread.sleep(interval);
        roundHeld();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  private void roundHeld() throws InterruptedException {
    try {
      round();
    } catch (RuntimeException e) { // without rounds nobody would be asked any more
      watch.faulted(e);
    }
  }

  /// Shows each ledger's newest head to whoever has not cosigned it.
  void round() throws InterruptedException {
    List<Callable<Void>> tasks = new ArrayList<>();
    for (WitnessedLedger ledger : ledgers.values()) {
      tasks.add(() -> {
        show(ledger);
        return null;
      });
    }
    awaitAll(perLedger.invokeAll(tasks));
  }

  private static void awaitAll(List<Future<Void>> tasks) throws InterruptedException {
    for (Future<Void> each : tasks) {
      try {
        each.get();
      } catch (ExecutionException e) {
        switch (e.getCause()) {
          case RuntimeException fault -> throw fault;
          case InterruptedException closed -> throw closed;
          case Error fault -> throw fault;
          case null, default -> throw new AssertionError(e);
        }
      }
    }
  }

  private void show(WitnessedLedger ledger) throws InterruptedException {
    Head head;
    try {
      ledger.marked(node.ask(new OutsideRead.Marks(ledger.ledger())));
      if (ledger.contradiction().isPresent()) {
        return; // it stands until the mark is lifted, or the next start
      }
      head = newest(new StrandId(ledger.ledger(), FIRST_STRAND));
    } catch (RequestRejectedException e) {
      watch.unreadable(ledger.ledger(), e);
      return;
    }
    ledger.show(head);
    List<Callable<Void>> tasks = new ArrayList<>();
    for (AskedWitness witness : witnesses) {
      if (ledger.lacks(witness.name()) && witness.mayAsk()) {
        tasks.add(() -> {
          ask(witness, ledger, head);
          return null;
        });
      }
    }
    awaitAll(perWitness.invokeAll(tasks));
    ledger.settle();
    shelve(ledger, head.strand());
  }

  private void shelve(WitnessedLedger ledger, StrandId strand) {
    Optional<SignedNote> note = ledger.note();
    if (note.isPresent()) {
      try {
        shelf.show(strand, note.get());
      } catch (RequestRejectedException e) {
        watch.unreadable(ledger.ledger(), e);
      }
    }
  }

  private Head newest(StrandId strand) throws RequestRejectedException {
    try {
      SignedNote note = SignedNote.decode(Bytes.wrap(node.checkpoint(strand)));
      return new Head(strand, Checkpoint.parse(note.text()).size().value(), note);
    } catch (MalformedException e) {
      throw new AssertionError("our own checkpoint of " + strand, e);
    }
  }

  private void ask(AskedWitness witness, WitnessedLedger ledger, Head head)
      throws InterruptedException {
    try {
      switch (witness.ask(head)) {
        case Outcome.Cosigned(Cosignature cosignature) -> {
          if (ledger.isFirst(witness.name()) // of this run: its mark may be of an earlier one
              && node.liftReadOnly(ledger.ledger(), Optional.of(witness.name()))) {
            ledger.marked(node.ask(new OutsideRead.Marks(ledger.ledger())));
          }
          ledger.add(cosignature, node.timeMs());
          watch.cosigned(ledger.ledger(), witness.name());
        }
        case Outcome.Contradicted(long size, boolean ahead) -> {
          node.makeReadOnly(ledger.ledger(), size, witness.name());
          var contradiction = new WitnessStatus.Contradiction(witness.name(), size, ahead);
          ledger.contradicted(contradiction);
          watch.contradicted(ledger.ledger(), contradiction);
        }
      }
    } catch (WitnessFailedException e) {
      ledger.failed(witness.name(), e.code());
      watch.failed(ledger.ledger(), e);
    } catch (RequestRejectedException e) {
      watch.unreadable(ledger.ledger(), e);
    }
  }

  @Override
  public void close() {
    rounds.interrupt();
    perLedger.shutdownNow();
    perWitness.shutdownNow();
    witnesses.forEach(AskedWitness::close);
    try {
      rounds.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
