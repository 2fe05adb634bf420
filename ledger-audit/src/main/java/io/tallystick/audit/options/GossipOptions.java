package io.tallystick.audit.options;

import io.tallystick.note.Witnesses;
import java.util.List;
import java.util.Optional;

/// Heads of the log from others, with which it is compared, and the witnesses that must have
/// cosigned it.
///
/// @param others heads that the log must contain, as far as it reaches
/// @param witnesses whose quorum must have cosigned a head of the log; the source is then asked for
///   its cosigned checkpoint, too
public record GossipOptions(List<OtherHead> others, Optional<Witnesses> witnesses) {
  public static final int OTHERS_MAX = 1_000;

  /// Nobody else is heard.
  public static final GossipOptions NONE = new GossipOptions(List.of(), Optional.empty());

  public GossipOptions {
    others = List.copyOf(others);
    if (others.size() > OTHERS_MAX) {
      throw new IllegalArgumentException(others.size() + " heads, at most " + OTHERS_MAX);
    }
  }
}
