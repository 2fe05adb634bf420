package io.tallystick.testkit.vectors;

import io.tallystick.evidence.ForkEvidence;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.testkit.ReferenceLedger;
import java.util.List;
import java.util.Optional;

/// Topic `trust`: heads of the sample log and of one that forks from it behind the same genesis.
final class TrustVectors {
  private final VectorSet set;
  private final ReferenceLedger log = ReferenceLedger.sample();
  private final ReferenceLedger forked = ReferenceLedger.sample(100, 4, 4);

  TrustVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    accepted();
    refused();
    set.accept(made("newest-head-grows", "newest", log.checkpoint(7), receipt(log, 12)));
    set.refuse(
        "ROLLBACK", made("newest-head-shrinks", "newest", receipt(log, 12), log.checkpoint(7)));
    Optional<ConsistencyProof> none = Optional.empty();
    evidence("fork-evidence-of-one-size", log.checkpoint(7), receipt(forked, 7), none, "");
    Optional<ConsistencyProof> theirs = Optional.of(forked.consistency(7, 12));
    evidence("fork-evidence-of-two-sizes", receipt(log, 7), forked.checkpoint(12), theirs, "");
    evidence("fork-evidence-of-one-head", log.checkpoint(7), receipt(log, 7), none, "MISSING");
    Optional<ConsistencyProof> ours = Optional.of(log.consistency(7, 12));
    evidence("fork-evidence-of-one-log", receipt(log, 7), log.checkpoint(12), ours, "MISSING");
    evidence(
        "fork-evidence-with-a-proof-that-shows-nothing",
        receipt(log, 7),
        forked.checkpoint(12),
        ours,
        "MISSING");
    evidence(
        "fork-evidence-without-proof", log.checkpoint(7), forked.checkpoint(12), none, "MISSING");
  }

  private void accepted() {
    set.accept(trust("checkpoint-and-receipt-of-one-head", log.checkpoint(7), receipt(log, 7)));
    set.accept(joined("larger-head-with-a-proof", log.checkpoint(7), receipt(log, 12), log, 7, 12));
    set.accept(
        joined("smaller-head-with-a-proof", receipt(log, 12), log.checkpoint(7), log, 7, 12));
  }

  private void refused() {
    Bytes note = log.checkpoint(7);
    Bytes receipt = receipt(log, 7);
    set.refuse("FORK", trust("two-checkpoints-of-one-size", note, forked.checkpoint(7)));
    set.refuse("FORK", trust("two-receipts-of-one-size", receipt, receipt(forked, 7)));
    set.refuse("FORK", trust("checkpoint-against-receipt", note, receipt(forked, 7)));
    set.refuse("FORK", trust("receipt-against-checkpoint", receipt, forked.checkpoint(7)));
    set.refuse(
        "FORK", joined("log-that-begins-otherwise", note, receipt(forked, 12), forked, 7, 12));
    set.refuse(
        "ROOT_MISMATCH", joined("proof-of-another-log", note, receipt(forked, 12), log, 7, 12));
    set.refuse("WRONG_SIZE", joined("proof-of-other-sizes", note, receipt(log, 12), log, 6, 12));
    set.refuse("MISSING", trust("larger-head-without-proof", note, receipt(log, 12)));
    set.refuse("MISSING", trust("smaller-head-without-proof", receipt(log, 12), note));
    Bytes statement = receipt(log, 7);
    Bytes flipped =
        Forge.replace(statement, log.rootAt(7).digest().hex(), log.rootAt(12).digest().hex());
    set.refuse("BAD_SIGNATURE", trust("statement-with-another-root", note, flipped));
    set.refuse("MALFORMED", trust("receipt-as-a-statement", note, log.receipt(3, 7).encode()));
    set.refuse(
        "WRONG_PATH_LENGTH",
        trust("proof-empty", note, receipt(log, 12))
            .with("from", 7)
            .with("to", 12)
            .with("path", List.of()));
  }

  private static Bytes receipt(ReferenceLedger of, int size) {
    return of.headSignature(size).statement(of.rootAt(size)).encode();
  }

  private void evidence(
      String name, Bytes first, Bytes second, Optional<ConsistencyProof> proof, String reason) {
    VectorCase made =
        ServiceCase.of(log, "trust/" + name, "forkEvidence", "two heads, said to contradict")
            .with("file", new ForkEvidence(first, second, proof).encode());
    if (reason.isEmpty()) {
      set.accept(made);
    } else {
      set.refuse(reason, made);
    }
  }

  private VectorCase joined(
      String name, Bytes trusted, Bytes offered, ReferenceLedger of, int from, int to) {
    return trust(name, trusted, offered)
        .with("from", from)
        .with("to", to)
        .with("path", of.consistency(from, to).path());
  }

  private VectorCase trust(String name, Bytes trusted, Bytes offered) {
    return made(name, "trust", trusted, offered);
  }

  private VectorCase made(String name, String op, Bytes trusted, Bytes offered) {
    return ServiceCase.of(log, "trust/" + name, op, "one head believed, one offered")
        .with("trusted", trusted)
        .with("offered", offered);
  }
}
