package io.tallystick.audit;

import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.chunk.Event;
import io.tallystick.audit.history.Replay;
import io.tallystick.audit.statement.AuditStatement;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// States from time to time how far an audit has come, and at its end. Not thread-safe.
final class StatementKeeper implements Replay.SealListener {
  /// So that stating takes no more than a tenth of the time.
  private static final int PAUSES_PER_WRITE = 9;

  private final AuditContext context;
  private final AuditStatement.Checks checks;
  private final @Nullable AuditStatements statements;
  private long lastNanos = System.nanoTime();
  private long lastTookNanos;
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
        || System.nanoTime() - lastNanos < pauseNanos(statements)) {
      return;
    }
    long begun = System.nanoTime();
    statements.write(
        replay.statement(context, checks, seal, System.currentTimeMillis()),
        replay.clues(),
        replay.state(),
        replay.removalReplay());
    lastNanos = System.nanoTime();
    lastTookNanos = lastNanos - begun;
  }

  /// Many clues, a large state and many leaves take long to write. An interval of zero asks for
  /// every block, at any cost.
  private long pauseNanos(AuditStatements asked) {
    long interval = asked.interval().toNanos();
    return interval == 0 ? 0 : Math.max(interval, PAUSES_PER_WRITE * lastTookNanos);
  }

  /// The log is at its end, and its head is signed.
  void finished(Replay replay) throws IOException {
    if (statements != null) {
      statements.write(
          replay.statement(context, checks, sealAt, System.currentTimeMillis()),
          replay.clues(),
          replay.state(),
          replay.removalReplay());
    }
  }
}
