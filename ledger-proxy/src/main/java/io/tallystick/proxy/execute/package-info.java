/// The execute phase: stateless checks of submissions on processor-bound threads, before anything
/// reaches a sequencer. {@link io.tallystick.proxy.execute.ExecutePhase} is the entry.
@NullMarked
package io.tallystick.proxy.execute;

import org.jspecify.annotations.NullMarked;
