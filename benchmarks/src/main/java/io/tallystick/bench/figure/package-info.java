/// What is measured and how it is told: {@link io.tallystick.bench.figure.BenchReport}.
@NullMarked
package io.tallystick.bench.figure;

import org.jspecify.annotations.NullMarked;
