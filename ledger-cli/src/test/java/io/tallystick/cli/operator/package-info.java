/// What `tally up` is told.
@NullMarked
package io.tallystick.cli.operator;

import org.jspecify.annotations.NullMarked;
