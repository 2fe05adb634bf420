/// Tests of the trusted anchors that a node keeps.
@NullMarked
package io.tallystick.server.anchor;

import org.jspecify.annotations.NullMarked;
