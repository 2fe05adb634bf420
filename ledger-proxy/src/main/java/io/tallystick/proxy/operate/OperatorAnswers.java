package io.tallystick.proxy.operate;

import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Backups;
import io.tallystick.node.KeptState;
import io.tallystick.node.KeptStates;
import io.tallystick.node.LedgerAppends;
import io.tallystick.node.StatePruning;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries out what the operator asks. Thread-safe.
final class OperatorAnswers {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorAnswers.class);

  private final KeptStates states;
  private final Optional<Backups> backups;
  private final LedgerAppends appends;

  /// Where an answer goes.
  interface Lines {
    void line(String text);

    /// @throws IOException if the operator is gone
    void flush() throws IOException;
  }

  OperatorAnswers(KeptStates states, Optional<Backups> backups, LedgerAppends appends) {
    this.states = states;
    this.backups = backups;
    this.appends = appends;
  }

  void answer(String request, Lines out) throws IOException {
    try {
      carryOut(request.split(" ", -1), out);
      out.line(OperatorWords.DONE);
    } catch (RequestRejectedException refusal) {
      String detail = String.valueOf(refusal.getMessage());
      out.line(OperatorWords.refused(refusal.code(), refusal.limit(), detail));
    } catch (MalformedException e) {
      String detail = "unknown request: " + e.getMessage();
      out.line(OperatorWords.refused(RejectionCode.MALFORMED, OptionalLong.empty(), detail));
    }
    out.flush();
  }

  private void carryOut(String[] words, Lines out)
      throws IOException, MalformedException, RequestRejectedException {
    if (words.length == 1 && words[0].equals(OperatorWords.STATES)) {
      states.keptStates().forEach(kept -> out.line(OperatorWords.state(kept)));
    } else if (words.length == 3 && words[0].equals(OperatorWords.PRUNE)) {
      long height = OperatorWords.number(words[2]);
      out.line(OperatorWords.state(prune(words[1], new StatePruning.Below(height))));
    } else if (words.length == 4 && words[0].equals(OperatorWords.KEEP)) {
      StatePruning pruning = OperatorWords.beyond(words[2], words[3]);
      out.line(OperatorWords.state(prune(words[1], pruning)));
    } else if (words.length == 2 && words[0].equals(OperatorWords.BACKUP)) {
      backUp(OperatorWords.path(words[1]), out);
    } else if (words.length == 2 && words[0].equals(OperatorWords.WRITABLE)) {
      LedgerId ledger = OperatorWords.ledger(words[1]);
      boolean any = appends.liftReadOnly(ledger, Optional.empty());
      LOG.warn("ledger {}: the operator takes back what witnesses have said of it", ledger);
      out.line(OperatorWords.lifted(any));
    } else {
      throw new MalformedException(String.join(" ", words));
    }
  }

  private KeptState prune(String ledger, StatePruning pruning)
      throws MalformedException, RequestRejectedException {
    KeptState kept = states.pruneState(OperatorWords.ledger(ledger), pruning);
    switch (pruning) {
      case StatePruning.Below(long height) ->
          LOG.info(
              "state of {}: the operator pruned versions below block {}; the oldest kept is of"
                  + " block {}",
              kept.ledger(),
              height,
              kept.oldestHeight());
      case StatePruning.Beyond _ ->
          LOG.info(
              "state of {}: the operator limited older versions to {}, and their bytes to {} (-1: "
                  + "those of the newest); the oldest kept is of block {}",
              kept.ledger(),
              kept.versionsMax(),
              kept.bytesMax(),
              kept.oldestHeight());
    }
    return kept;
  }

  /// A failure is an answer: the operator named the directory, and gave it to this user or did not.
  private void backUp(Path directory, Lines out) throws IOException, RequestRejectedException {
    if (backups.isEmpty()) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "this service keeps nothing that can be copied");
    }
    try {
      Backups.Taken taken =
          backups
              .get()
              .take(
                  directory,
                  false,
                  (bytes, all) -> {
                    out.line(OperatorWords.at(bytes, all));
                    out.flush();
                  });
      taken.heads().forEach(head -> out.line(OperatorWords.head(head)));
      out.line(OperatorWords.taken(taken));
      LOG.info("backup of {} bytes made in {}", taken.bytes(), directory);
      if (taken.damagedFrames() > 0) {
        LOG.error(
            "backup in {}: damaged frames, named above: {}", directory, taken.damagedFrames());
      }
    } catch (RequestRejectedException refusal) {
      if (refusal.code() == RejectionCode.DAMAGED) {
        LOG.error("no backup was made in {}: {}", directory, refusal.getMessage());
      }
      throw refusal;
    } catch (IOException e) {
      LOG.warn("no backup was made: {}", e.getMessage());
      out.line(OperatorWords.failed(e));
    }
  }
}
