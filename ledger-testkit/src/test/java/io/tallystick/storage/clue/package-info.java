/// Fuzz tests of what only this package of the storage can see.
@NullMarked
package io.tallystick.storage.clue;

import org.jspecify.annotations.NullMarked;
