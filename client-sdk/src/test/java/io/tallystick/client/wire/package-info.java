/// Tests of values out of messages.
@NullMarked
package io.tallystick.client.wire;

import org.jspecify.annotations.NullMarked;
