/// Reading, as both fronts, gRPC and REST, share it: who may read what, where a page begins and
/// ends, and which head a proof is under. A front turns its own requests into these calls and their
/// results into its own answers. {@link io.tallystick.proxy.read.ReadableLog} is the entry.
@NullMarked
package io.tallystick.proxy.read;

import org.jspecify.annotations.NullMarked;
