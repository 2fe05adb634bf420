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

  private final boolean works;
  private final Map<String, Integer> groups = new HashMap<>();

  private PortCuts(boolean works) {
    this.works = works;
  }

  static PortCuts open() throws IOException {
    boolean works =
        succeeds("iptables", "-N", CHAIN)
            && succeeds("iptables", "-I", "OUTPUT", "-o", "lo", "-p", "tcp", "-j", CHAIN);
    if (!works) {
      System.out.println("Nothing is cut off: this needs root and iptables");
    }
    return new PortCuts(works);
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
            "iptables",
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

  void mend() throws IOException {
    if (works) {
      run("iptables", "-F", CHAIN);
    }
  }

  private static void run(String... words) throws IOException {
    if (!succeeds(words)) {
      throw new IOException(String.join(" ", words) + " failed");
    }
  }

  private static boolean succeeds(String... words) throws IOException {
    try {
      return new ProcessBuilder(words).inheritIO().start().waitFor() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (IOException e) {
      if (words[1].equals("-N")) {
        return false;
      }
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    if (works) {
      mend();
      run("iptables", "-D", "OUTPUT", "-o", "lo", "-p", "tcp", "-j", CHAIN);
      run("iptables", "-X", CHAIN);
    }
  }
}
