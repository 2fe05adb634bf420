package io.tallystick.audit;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// States from time to time how far an audit has come, and at its end. Not thread-safe.
final class StatementKeeper implements Replay.SealListener {
  private final AuditContext context;
  private final AuditStatement.Checks checks;
  private final @Nullable AuditStatements statements;
  private long lastNanos = System.nanoTime();
  private long sealAt;

  /// @param statements null if none are kept
  StatementKeeper(
      AuditContext context, AuditStatement.Checks checks, @Nullable AuditStatements statements) {
    this.context = context;
    this.checks = checks;
    this.statements = statements;
  }

  @Override
  public void sealed(Replay replay, Event.Sealed seal) throws IOException {
    sealAt = seal.source();
    if (statements == null
        || replay.size() < 2
        || System.nanoTime() - lastNanos < statements.interval().toNanos()) {
      return;
    }
    statements.write(replay.statement(context, checks, seal, System.currentTimeMillis()));
    lastNanos = System.nanoTime();
  }

  /// The log is at its end, and its head is signed.
  void finished(Replay replay) throws IOException {
    if (statements != null) {
      statements.write(replay.statement(context, checks, sealAt, System.currentTimeMillis()));
    }
  }
}
