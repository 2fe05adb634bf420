/// How the service's log is written: one entry, one line, whatever callers' text is in it.
@NullMarked
package io.tallystick.proxy.logs;

import org.jspecify.annotations.NullMarked;
