/// The REST front, tried over real connections.
@NullMarked
package io.tallystick.proxy.rest;

import org.jspecify.annotations.NullMarked;
