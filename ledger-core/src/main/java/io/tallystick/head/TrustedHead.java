package io.tallystick.head;

/// The newest head of a strand that is consistent with all heads seen before. One per strand; only
/// {@link TrustRule} moves it.
public record TrustedHead(SignedHead head) {}
