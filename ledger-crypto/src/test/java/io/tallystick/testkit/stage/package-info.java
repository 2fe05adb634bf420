/// What benchmarks of single stages begin with: the journals of one {@link
/// io.tallystick.testkit.stage.Shape}.
@NullMarked
package io.tallystick.testkit.stage;

import org.jspecify.annotations.NullMarked;
