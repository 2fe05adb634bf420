/// Tests of the image in containers. {@link io.tallystick.image.ImageTest} runs it as
/// docs/operations.md says, {@link io.tallystick.image.ChartContainerTest} as the chart does.
@NullMarked
package io.tallystick.image;

import org.jspecify.annotations.NullMarked;
