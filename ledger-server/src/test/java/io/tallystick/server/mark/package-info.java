/// Tests of the marks that witnesses put on ledgers.
@NullMarked
package io.tallystick.server.mark;

import org.jspecify.annotations.NullMarked;
