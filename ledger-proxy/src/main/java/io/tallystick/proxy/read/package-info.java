/// What both fronts, gRPC and REST, share of reading: pages of a log and their limits. {@link
/// io.tallystick.proxy.read.LogPage} is the entry.
@NullMarked
package io.tallystick.proxy.read;

import org.jspecify.annotations.NullMarked;
