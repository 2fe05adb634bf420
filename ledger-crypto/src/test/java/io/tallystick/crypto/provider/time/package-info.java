/// Tests of time-stamp tokens.
@NullMarked
package io.tallystick.crypto.provider.time;

import org.jspecify.annotations.NullMarked;
