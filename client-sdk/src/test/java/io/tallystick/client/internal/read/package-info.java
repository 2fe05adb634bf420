/// Tests of values out of messages.
@NullMarked
package io.tallystick.client.internal.read;

import org.jspecify.annotations.NullMarked;
