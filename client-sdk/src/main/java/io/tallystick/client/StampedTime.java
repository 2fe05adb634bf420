package io.tallystick.client;

/// The answer to {@link LedgerAnchors#requestTime}.
///
/// @param granted of the newest head: it names every leaf that this client had seen, or all but its
///   own block's
/// @param existed whether the newest head was stamped already
public record StampedTime(GrantedTime granted, boolean existed) {}
