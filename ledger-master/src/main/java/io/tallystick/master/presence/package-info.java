/// Which servers are there: each one's {@link io.tallystick.master.presence.Presence} shows it as
/// long as its session lasts, {@link io.tallystick.master.presence.PresentServers} reads what is
/// shown.
@NullMarked
package io.tallystick.master.presence;

import org.jspecify.annotations.NullMarked;
