/// Signature providers against each other and against the definition.
@NullMarked
package io.tallystick.testkit.signature;

import org.jspecify.annotations.NullMarked;
