package io.tallystick.audit;

import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.finding.StatementException.Reason;
import io.tallystick.audit.history.RemovalReplay;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.replay.ClueReplay;
import io.tallystick.audit.replay.StateReplay;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.audit.statement.CheckedStateFile;
import io.tallystick.audit.statement.ClueFile;
import io.tallystick.audit.statement.RemovalFile;
import io.tallystick.audit.statement.StatementCodec;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.durable.DurableFile;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// Where an auditor keeps what it states of its audits, one file for each strand, so that an audit
/// that was killed goes on from there. Replaced as a whole and forced: after a crash at any moment
/// the file holds the statement before or the new one.
///
/// @param directory made if it is not there
/// @param auditor the key the auditor signs its own statements with; it believes no other
/// @param interval the least time between two of them; zero states every block
public record AuditStatements(Path directory, Signer auditor, Duration interval) {
  public static final Duration INTERVAL = Duration.ofSeconds(5);

  public AuditStatements {
    if (interval.isNegative()) {
      throw new IllegalArgumentException("interval " + interval);
    }
  }

  /// Where the statement of this strand is.
  public Path file(StrandId strand) {
    return directory.resolve(name(strand));
  }

  private static String name(StrandId strand) {
    return strand.ledger().hex() + "-" + strand.strand() + ".audit";
  }

  private ClueFile clueFile(StrandId strand) {
    return new ClueFile(directory, strand.ledger().hex() + "-" + strand.strand() + "-");
  }

  private CheckedStateFile stateFile(StrandId strand) {
    return new CheckedStateFile(directory, strand.ledger().hex() + "-" + strand.strand() + "-");
  }

  private RemovalFile removalFile(StrandId strand) {
    return new RemovalFile(directory, strand.ledger().hex() + "-" + strand.strand() + "-");
  }

  private DurableFile durable(StrandId strand) {
    return DurableFile.in(directory, name(strand));
  }

  Optional<AuditStatement> read(StrandId strand, AuditOptions options, Signatures signatures)
      throws IOException, StatementException {
    Optional<Bytes> encoded = durable(strand).read();
    if (encoded.isEmpty()) {
      return Optional.empty();
    }
    AuditStatement found = StatementCodec.decode(encoded.get(), auditor.publicKey(), signatures);
    if (!found.strand().equals(strand)) {
      throw new StatementException(
          Reason.WRONG_LEDGER, "it is of " + found.strand() + ", want " + strand);
    }
    AuditStatement.Checks want = checks(options);
    if (!found.checks().equals(want)) {
      throw new StatementException(
          Reason.OTHER_OPTIONS, "it is of an audit with " + found.checks() + ", want " + want);
    }
    return Optional.of(found);
  }

  static AuditStatement.Checks checks(AuditOptions options) {
    return new AuditStatement.Checks(
        options.bodies(),
        !options.stopAtFirstFault(),
        options.time().tokens().isPresent(),
        options.time().maxWindowMs().orElse(-1));
  }

  /// The clues a statement goes on from.
  ///
  /// @param root of the seal it was made behind
  void readClues(AuditStatement statement, Digest root, ClueReplay clues)
      throws IOException, StatementException {
    if (!root.equals(SealLeaf.EMPTY_CLUE_ROOT)) {
      clueFile(statement.strand()).read(statement.head().size(), clues, root);
    }
  }

  /// The state a statement goes on from.
  ///
  /// @param root of the seal it was made behind
  /// @param state empty in a ledger without one, whose root was checked
  void readState(AuditStatement statement, Digest root, Optional<StateReplay> state)
      throws IOException, StatementException {
    if (state.isPresent() && !root.equals(SealLeaf.EMPTY_STATE_ROOT)) {
      stateFile(statement.strand())
          .read(statement.head().size(), state.get(), statement.stateFile(), root);
    }
  }

  /// Reads what later removals can name, of the leaves that a statement stands for.
  void readRemovals(AuditStatement statement, RemovalReplay removals)
      throws IOException, StatementException {
    Optional<Digest> hash = statement.removals().file();
    if (hash.isPresent()) {
      removalFile(statement.strand()).read(statement.head().size(), removals, hash.get());
    }
  }

  /// Writes a statement, and before it all that it stands for.
  void write(
      AuditStatement statement,
      ClueReplay clues,
      Optional<StateReplay> state,
      RemovalReplay removals)
      throws IOException {
    Files.createDirectories(directory);
    ClueFile file = clueFile(statement.strand());
    long size = statement.head().size();
    if (clues.clues() > 0) {
      file.write(size, clues);
    }
    CheckedStateFile stateFile = stateFile(statement.strand());
    Optional<Digest> hash = Optional.empty();
    if (state.isPresent() && !state.get().isEmpty()) {
      hash = Optional.of(stateFile.write(size, state.get()));
    }
    RemovalFile removalFile = removalFile(statement.strand());
    Optional<Digest> ofRemovals =
        removals.isEmpty() ? Optional.empty() : Optional.of(removalFile.write(size, removals));
    AuditStatement whole = statement.withFiles(hash, ofRemovals);
    durable(statement.strand()).replace(StatementCodec.encode(whole, auditor));
    file.dropOthers(size);
    stateFile.dropOthers(size);
    removalFile.dropOthers(size);
  }
}
