package io.tallystick.cluster.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Cuts processes of this machine off from ports of loopback. Each runs in a group of its own, for
/// which the kernel's filter drops what is sent. Needs root; without `iptables` nothing is cut.
final class PortCuts implements AutoCloseable {
  private static final String CHAIN = "TALLYSTICK_TRIAL";
  private static final int FIRST_GROUP = 60_700;

  private static final List<String> JUMP = List.of("OUTPUT", "-o", "lo", "-p", "tcp", "-j", CHAIN);

  private boolean works;
  private final Map<String, Integer> groups = new HashMap<>();

  private PortCuts(boolean works) {
    this.works = works;
  }

  /// What an earlier run has left, which was killed, is used again.
  static PortCuts open() {
    PortCuts cuts = new PortCuts(isReady());
    if (cuts.works) {
      Runtime.getRuntime().addShutdownHook(new Thread(cuts::closeAtEnd));
    } else {
      System.out.println("Nothing is cut off: this needs root and iptables");
    }
    return cuts;
  }

  private static boolean isReady() {
    try {
      return (succeeds("-N", CHAIN) || succeeds("-F", CHAIN))
          && (succeeds(jump("-C")) || succeeds(jump("-I")));
    } catch (IOException _) {
      return false; // there is no such program
    }
  }

  private static String[] jump(String what) {
    List<String> words = new ArrayList<>(List.of(what));
    words.addAll(JUMP);
    return words.toArray(String[]::new);
  }

  /// Whether {@link #cut} cuts.
  synchronized boolean work() {
    return works;
  }

  /// The command that runs another in the group of its process.
  synchronized List<String> ofItsOwnGroup(String name, List<String> command) {
    if (!works) {
      return command;
    }
    int group = groups.computeIfAbsent(name, _ -> FIRST_GROUP + groups.size());
    List<String> words =
        new ArrayList<>(List.of("setpriv", "--regid=" + group, "--clear-groups", "--"));
    words.addAll(command);
    return words;
  }

  /// Drops what the process sends to the ports, until {@link #mend}.
  synchronized void cut(String name, List<Integer> ports) throws IOException {
    Integer group = groups.get(name);
    for (int port : ports) {
      if (group != null) {
        run(
            "-A",
            CHAIN,
            "-p",
            "tcp",
            "-m",
            "owner",
            "--gid-owner",
            group.toString(),
            "--dport",
            Integer.toString(port),
            "-j",
            "DROP");
      }
    }
  }

  synchronized void mend() throws IOException {
    if (works) {
      run("-F", CHAIN);
    }
  }

  private static void run(String... words) throws IOException {
    if (!succeeds(words)) {
      throw new IOException("iptables " + String.join(" ", words) + " failed");
    }
  }

  private static boolean succeeds(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("iptables"));
    command.addAll(List.of(words));
    try {
      return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    if (works) {
      mend();
      works = false;
      run(jump("-D"));
      run("-X", CHAIN);
    }
  }

  /// The process may be told to end while something is cut off.
  private void closeAtEnd() {
    try {
      close();
    } catch (IOException e) {
      System.out.println("Cuts are left: " + e);
    }
  }
}
