/// Fuzz targets for every decoder and verifier of the core, and for what storage reads back.
@NullMarked
package io.tallystick.testkit.fuzz;

import org.jspecify.annotations.NullMarked;
