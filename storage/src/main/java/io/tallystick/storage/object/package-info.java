/// Files named by what is in them. Entry: {@link io.tallystick.storage.object.ObjectStore}.
@NullMarked
package io.tallystick.storage.object;

import org.jspecify.annotations.NullMarked;
