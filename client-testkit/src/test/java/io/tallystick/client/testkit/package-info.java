@NullMarked
package io.tallystick.client.testkit;

import org.jspecify.annotations.NullMarked;
