package io.tallystick.client.state;

/// A key as the state held it at a time.
///
/// @param reading of the block
/// @param at why it is that block, and whether that is final
public record StateAtTime(StateReading reading, AtTime at) {
  public boolean isFinal() {
    return at.isFinal();
  }
}
