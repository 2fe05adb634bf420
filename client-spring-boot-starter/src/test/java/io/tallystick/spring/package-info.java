@NullMarked
package io.tallystick.spring;

import org.jspecify.annotations.NullMarked;
