/// The commit phase's decisions: {@link io.tallystick.server.sequencer.Sequencer}, a
/// single-threaded state machine that reads no disk and no clock.
@NullMarked
package io.tallystick.server.sequencer;

import org.jspecify.annotations.NullMarked;
