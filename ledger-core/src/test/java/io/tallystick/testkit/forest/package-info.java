/// The state forest by its definition: {@link io.tallystick.testkit.forest.ReferenceForest}.
@NullMarked
package io.tallystick.testkit.forest;

import org.jspecify.annotations.NullMarked;
