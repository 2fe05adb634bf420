/// A time-stamp authority for tests, which makes good tokens and each kind of bad one. Start at
/// {@link io.tallystick.testkit.time.TestTimeAuthority}.
@NullMarked
package io.tallystick.testkit.time;

import org.jspecify.annotations.NullMarked;
