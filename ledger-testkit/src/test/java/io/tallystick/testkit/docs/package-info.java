/// Tests that documents name what exists.
@NullMarked
package io.tallystick.testkit.docs;

import org.jspecify.annotations.NullMarked;
