/// Tests of the kept certificates.
@NullMarked
package io.tallystick.server.certificate;

import org.jspecify.annotations.NullMarked;
