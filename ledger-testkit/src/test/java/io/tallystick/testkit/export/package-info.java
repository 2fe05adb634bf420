/// Tests of the files that foreign verifiers read.
@NullMarked
package io.tallystick.testkit.export;

import org.jspecify.annotations.NullMarked;
