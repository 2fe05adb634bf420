/// What every implementation of a storage seam must do.
@NullMarked
package io.tallystick.testkit.contract;

import org.jspecify.annotations.NullMarked;
