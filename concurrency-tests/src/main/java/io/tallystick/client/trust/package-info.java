/// Stress tests of heads that are joined to the trusted log at once.
@NullMarked
package io.tallystick.client.trust;

import org.jspecify.annotations.NullMarked;
