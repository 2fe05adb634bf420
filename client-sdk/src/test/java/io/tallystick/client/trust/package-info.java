/// Tests of what a client keeps on disk.
@NullMarked
package io.tallystick.client.trust;

import org.jspecify.annotations.NullMarked;
