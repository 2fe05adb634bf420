/// What every implementation of the batch hasher must pass: {@link
/// io.tallystick.testkit.hashing.BatchHasherContract}.
@NullMarked
package io.tallystick.testkit.hashing;

import org.jspecify.annotations.NullMarked;
