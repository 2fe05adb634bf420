package io.tallystick.head;

/// The newest head of a strand that everything seen before is known to be consistent with. One per
/// strand; {@link TrustRule} alone moves it.
public record TrustedHead(SignedHead head) {}
