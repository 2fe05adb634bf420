@NullMarked
package io.tallystick.testkit.patricia;

import org.jspecify.annotations.NullMarked;
