/// What every body of a node keeps to: {@link io.tallystick.testkit.node.LedgerNodeContract}.
@NullMarked
package io.tallystick.testkit.node;

import org.jspecify.annotations.NullMarked;
