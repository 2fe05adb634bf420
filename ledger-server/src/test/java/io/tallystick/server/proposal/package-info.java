/// Tests of the proposals that a node keeps.
@NullMarked
package io.tallystick.server.proposal;

import org.jspecify.annotations.NullMarked;
