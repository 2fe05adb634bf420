package io.tallystick.bench.figure;

/// Receives progress line by line.
@FunctionalInterface
public interface Narrator {
  void say(String line);
}
