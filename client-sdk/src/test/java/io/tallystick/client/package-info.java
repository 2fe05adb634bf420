/// Tests of the client against a service that can be told to lie.
@NullMarked
package io.tallystick.client;

import org.jspecify.annotations.NullMarked;
