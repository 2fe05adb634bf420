package io.tallystick.audit.finding;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The comparison of the log with the heads of others, in numbers and strings only.
///
/// @param heads in the order they were given; the source's cosigned checkpoint last
/// @param quorum empty if no witnesses were demanded
public record AuditGossip(List<Head> heads, Optional<Quorum> quorum) {
  /// Nobody was heard.
  public static final AuditGossip NONE = new AuditGossip(List.of(), Optional.empty());

  public AuditGossip {
    heads = List.copyOf(heads);
  }

  /// How a head stands to the log.
  public enum Outcome {
    /// The log has this root at this size.
    CONTAINED,
    /// The log is shorter, so nothing is known.
    LARGER,
    /// This audit has not recomputed the root at this size.
    NOT_JUDGED,
    /// The log has another root at this size, or ends before its source's own cosigned checkpoint.
    CONTRADICTED,
    /// The service did not sign it, or one of its cosignatures does not hold.
    INVALID
  }

  /// @param root that it states, in hex
  /// @param signed whether it is the service's own statement, else another auditor's
  /// @param detail empty if there is nothing to add
  /// @param cosigners demanded witnesses whose cosignatures it has
  public record Head(
      String name,
      long size,
      String root,
      boolean signed,
      Outcome outcome,
      String detail,
      List<Cosigner> cosigners) {
    public Head {
      cosigners = List.copyOf(cosigners);
    }
  }

  /// @param timeMs by the witness' clock, in whole seconds
  public record Cosigner(String witness, long timeMs) {}

  /// @param wanted how many must have cosigned
  /// @param reached whether so many did
  /// @param size of the largest head of this log that enough of them cosigned; if there is none, of
  ///   the one that most cosigned; −1 if nobody cosigned
  /// @param cosigners of that head
  /// @param missing demanded witnesses that did not
  public record Quorum(
      int wanted, boolean reached, long size, List<Cosigner> cosigners, List<String> missing) {
    public Quorum {
      cosigners = List.copyOf(cosigners);
      missing = List.copyOf(missing);
    }

    /// How many cosigned, and who did not.
    public String words() {
      return String.format(
          Locale.ROOT,
          "%d of the demanded witnesses cosigned a head of this log, want %d; missing: %s",
          cosigners.size(),
          wanted,
          String.join(", ", missing));
    }
  }
}
