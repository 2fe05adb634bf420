/// The commit phase's decisions: {@link io.tallystick.server.sequencer.Sequencer}, a
/// single-threaded state machine that reads no clock, and no disk but for the rows of notes.
@NullMarked
package io.tallystick.server.sequencer;

import org.jspecify.annotations.NullMarked;
