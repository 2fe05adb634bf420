/// Traces for whoever operates the service: one span for each call, with ids and outcomes and
/// nothing of what a ledger holds. {@link io.tallystick.proxy.trace.Tracing} is the entry.
@NullMarked
package io.tallystick.proxy.trace;

import org.jspecify.annotations.NullMarked;
