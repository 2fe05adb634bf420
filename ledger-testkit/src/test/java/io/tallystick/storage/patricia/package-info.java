/// Tests of what only this package of the storage can see.
@NullMarked
package io.tallystick.storage.patricia;

import org.jspecify.annotations.NullMarked;
