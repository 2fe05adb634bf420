/// Tests of the client against a service whose answers a test can forge.
@NullMarked
package io.tallystick.client;

import org.jspecify.annotations.NullMarked;
