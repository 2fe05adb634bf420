/// The service's speed over loopback, each figure beside the limit measured in the same run. {@link
/// io.tallystick.bench.service.AppendBench} is the first.
@NullMarked
package io.tallystick.bench.service;

import org.jspecify.annotations.NullMarked;
