@NullMarked
package io.tallystick.audit.evidence;

import org.jspecify.annotations.NullMarked;
