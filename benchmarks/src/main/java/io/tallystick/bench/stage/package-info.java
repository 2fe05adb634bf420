/// JMH benchmarks; each says in its doc comment which question it answers. Never part of `verify`.
@NullMarked
package io.tallystick.bench.stage;

import org.jspecify.annotations.NullMarked;
