package io.tallystick.cluster.process;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/// Logging of a process that runs until it is told to stop: beside warnings it says what it does.
final class ProcessLog {
  private static final String OURS = "io.tallystick";

  private ProcessLog() {}

  static void begin() {
    if (LoggerFactory.getLogger(OURS) instanceof Logger ours) {
      ours.setLevel(Level.INFO);
    }
  }
}
