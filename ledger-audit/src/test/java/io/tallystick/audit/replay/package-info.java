/// Tests of what the auditor recomputes.
@NullMarked
package io.tallystick.audit.replay;

import org.jspecify.annotations.NullMarked;
