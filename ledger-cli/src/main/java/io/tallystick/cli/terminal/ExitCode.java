package io.tallystick.cli.terminal;

/// The exit statuses of the `tally` command; stable, documented in docs/cli.md.
public final class ExitCode {
  public static final int OK = 0;

  /// Something unexpected; a bug worth reporting.
  public static final int INTERNAL = 1;

  /// The command line is wrong.
  public static final int USAGE = 2;

  /// The service refused the request and said why, or cannot give a value that is proven.
  public static final int REFUSED = 3;

  /// Evidence does not verify: an audit fault, a forged receipt, a fork.
  public static final int EVIDENCE = 4;

  /// The service could not be reached, could not start, or has no head as new as was asked for.
  public static final int UNAVAILABLE = 5;

  /// A local file is missing, unreadable or in the way.
  public static final int FILE = 6;

  /// More than is kept in memory: an audit neither passed nor failed; a lineage was not shown.
  public static final int LIMIT = 7;

  /// A request was sent and not answered: it may have been done.
  public static final int OUTCOME_UNKNOWN = 8;

  private ExitCode() {}
}
