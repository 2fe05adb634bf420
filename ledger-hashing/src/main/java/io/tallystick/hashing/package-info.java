/// SHA-256 and Keccak-256 of many messages at once: {@link io.tallystick.hashing.BatchHasher} is
/// what those that hash in bulk are given, {@link io.tallystick.hashing.HashDevice} what a device
/// implements.
@NullMarked
package io.tallystick.hashing;

import org.jspecify.annotations.NullMarked;
