/// Replicated logs on Apache BookKeeper.
@NullMarked
package io.tallystick.cluster.book;

import org.jspecify.annotations.NullMarked;
