package io.tallystick.cluster.process;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.List;
import org.slf4j.LoggerFactory;

/// What is logged: a process that runs until it is told to stop says what it does, beside warnings;
/// what ZooKeeper and BookKeeper say of nothing is not said.
final class ProcessLog {
  private static final String OURS = "io.tallystick";

  /// Warnings of what is as it is to be: of no resolver of racks, of workers that are still busy
  /// when a client closes, of a setting that has its default.
  private static final List<String> IDLE_TALK =
      List.of(
          "org.apache.bookkeeper.client.BookKeeper",
          "org.apache.bookkeeper.client.RackawareEnsemblePlacementPolicyImpl",
          "org.apache.zookeeper.server.ServerCnxnFactory");

  /// Their failures end a command, which tells them itself, in one line.
  private static final List<String> TOLD_BY_COMMANDS =
      List.of(
          "org.apache.bookkeeper.discover.ZKRegistrationManager",
          "org.apache.curator",
          "org.apache.zookeeper");

  private ProcessLog() {}

  /// For every command.
  static void quieten() {
    IDLE_TALK.forEach(name -> level(name, Level.ERROR));
  }

  /// For a command that asks or changes a cluster, and ends.
  static void quietenCommand() {
    TOLD_BY_COMMANDS.forEach(name -> level(name, Level.OFF));
  }

  private static void level(String name, Level level) {
    if (LoggerFactory.getLogger(name) instanceof Logger logger) {
      logger.setLevel(level);
    }
  }

  static void begin() {
    level(OURS, Level.INFO);
  }
}
