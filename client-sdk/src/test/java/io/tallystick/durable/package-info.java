/// Tests of what a client keeps on disk.
@NullMarked
package io.tallystick.durable;

import org.jspecify.annotations.NullMarked;
