/// Tests of the kernels, none of which needs a device.
@NullMarked
package io.tallystick.gpu;

import org.jspecify.annotations.NullMarked;
