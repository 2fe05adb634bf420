/// The state of a ledger, written and read: {@link io.tallystick.client.state.StateWrite}, {@link
/// io.tallystick.client.state.StateReading}, {@link io.tallystick.client.state.StateReadings},
/// {@link io.tallystick.client.state.StateWalk}. {@link io.tallystick.client.state.StateReader},
/// which asks and verifies, is not for applications.
@NullMarked
package io.tallystick.client.state;

import org.jspecify.annotations.NullMarked;
