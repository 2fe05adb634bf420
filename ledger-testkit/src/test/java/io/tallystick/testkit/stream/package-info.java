/// The commit stream under crashes, damage and full disks.
@NullMarked
package io.tallystick.testkit.stream;

import org.jspecify.annotations.NullMarked;
