/// What hashing on a device gains, beside all cores of the CPU in the same run.
@NullMarked
package io.tallystick.bench.gpu;

import org.jspecify.annotations.NullMarked;
