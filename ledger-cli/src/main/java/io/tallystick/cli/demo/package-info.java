/// `tally demo`: the whole story on real files in under a minute. {@link
/// io.tallystick.cli.demo.Demo} tells it.
@NullMarked
package io.tallystick.cli.demo;

import org.jspecify.annotations.NullMarked;
