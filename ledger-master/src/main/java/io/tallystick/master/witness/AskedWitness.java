package io.tallystick.master.witness;

import io.tallystick.crypto.Signatures;
import io.tallystick.master.anchor.AuthorityRest;
import io.tallystick.master.witness.WitnessFailedException.Reason;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LogReads;
import io.tallystick.note.Cosignature;
import io.tallystick.note.NoteSignature;
import io.tallystick.note.SignedNote;
import io.tallystick.note.WitnessKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// A witness, and what is known of how far it has seen each ledger. Thread-safe; a ledger is asked
/// for by one thread at a time.
final class AskedWitness implements AutoCloseable {
  private final WitnessKey key;
  private final WitnessClient client;
  private final LogReads node;
  private final Signatures signatures;
  private final AuthorityRest rest = new AuthorityRest(System::nanoTime);

  // By ledger, the size that it cosigned last; without an entry it is asked from 0.
  private final Map<LedgerId, Long> seenSizes = new ConcurrentHashMap<>();

  AskedWitness(WitnessKey key, WitnessClient client, LogReads node, Signatures signatures) {
    this.key = key;
    this.client = client;
    this.node = node;
    this.signatures = signatures;
  }

  /// The outcome of asking.
  sealed interface Outcome {
    /// It has cosigned this head.
    record Cosigned(Cosignature cosignature) implements Outcome {}

    /// It has cosigned a head that is not in this log.
    ///
    /// @param size of that head
    /// @param ahead whether that is more than this log has
    record Contradicted(long size, boolean ahead) implements Outcome {}
  }

  String name() {
    return key.name();
  }

  /// Whether to ask now; after failures it is left alone for a while.
  boolean mayAsk() {
    return rest.mayAsk();
  }

  /// Shows it a head, again if it says that it knows another than was thought.
  ///
  /// @throws RequestRejectedException if the log cannot be read
  Outcome ask(Head head)
      throws WitnessFailedException, RequestRejectedException, InterruptedException {
    try {
      Outcome outcome = asked(head);
      rest.succeeded();
      return outcome;
    } catch (WitnessFailedException e) {
      rest.failed();
      throw e;
    }
  }

  private Outcome asked(Head head)
      throws WitnessFailedException, RequestRejectedException, InterruptedException {
    LedgerId ledger = head.strand().ledger();
    long known = seenSizes.getOrDefault(ledger, 0L);
    switch (show(head, known)) {
      case WitnessAnswer.Cosigned(List<NoteSignature> lines) -> {
        return cosigned(head, lines);
      }
      case WitnessAnswer.Inconsistent _ -> {
        return contradicted(head, known);
      }
      case WitnessAnswer.OtherSize(long size) -> {
        if (size > head.size()) {
          return ahead(head, size);
        }
        return size == known ? contradicted(head, known) : again(head, size);
      }
    }
  }

  /// Asks from the size that the witness has named.
  private Outcome again(Head head, long known)
      throws WitnessFailedException, RequestRejectedException, InterruptedException {
    return switch (show(head, known)) {
      case WitnessAnswer.Cosigned(List<NoteSignature> lines) -> cosigned(head, lines);
      case WitnessAnswer.Inconsistent _ -> contradicted(head, known);
      case WitnessAnswer.OtherSize(long size) when size == known -> contradicted(head, known);
      case WitnessAnswer.OtherSize(long size) ->
          throw failed(Reason.MOVING, "it names size " + size + " now, " + known + " before");
    };
  }

  private WitnessAnswer show(Head head, long known)
      throws WitnessFailedException, RequestRejectedException, InterruptedException {
    List<Digest> proof =
        known == 0 || known == head.size()
            ? List.of()
            : node.consistency(head.strand(), known, head.size()).path();
    return client.ask(known, proof, head.note().encode());
  }

  private Outcome cosigned(Head head, List<NoteSignature> lines) throws WitnessFailedException {
    for (NoteSignature line : lines) {
      if (line.name().equals(key.name()) && line.keyId().equals(key.id())) {
        try {
          Cosignature good = Cosignature.verify(head.note().text(), line, key, signatures);
          seenSizes.put(head.strand().ledger(), head.size());
          return new Outcome.Cosigned(good);
        } catch (ProofRejectedException e) {
          throw new WitnessFailedException(Reason.COSIGNATURE_REFUSED, key.name(), e);
        }
      }
    }
    throw failed(Reason.COSIGNATURE_REFUSED, "no line by its key " + key.id());
  }

  /// It has seen more than this head; unless the ledger has grown meanwhile, more than there is.
  private Outcome ahead(Head head, long size)
      throws WitnessFailedException, RequestRejectedException {
    long newest = node.newestSize(head.strand());
    if (newest >= size) {
      throw failed(
          Reason.MOVING, "it has seen size " + size + " already, asked for " + head.size());
    }
    return new Outcome.Contradicted(size, true);
  }

  /// Every head continues that of size 0, so that such a refusal says nothing of the log.
  private Outcome contradicted(Head head, long known) throws WitnessFailedException {
    if (known == 0) {
      throw failed(Reason.WRONG_CONTENT, "head of " + head.size() + " refused, without a size");
    }
    return new Outcome.Contradicted(known, false);
  }

  private WitnessFailedException failed(Reason reason, String detail) {
    return new WitnessFailedException(reason, key.name(), detail);
  }

  @Override
  public void close() {
    client.close();
  }

  /// A head that is shown.
  ///
  /// @param note with the service's own lines alone
  record Head(StrandId strand, long size, SignedNote note) {}
}
