package io.tallystick.server.ship;

import java.util.List;

/// A file of a shipped savepoint.
///
/// @param name in the shard's directory
/// @param pieces in order
public record ShippedFile(String name, List<ShippedPiece> pieces) {
  public ShippedFile {
    pieces = List.copyOf(pieces);
  }

  public long bytes() {
    return pieces.stream().mapToLong(ShippedPiece::bytes).sum();
  }
}
