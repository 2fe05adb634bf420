/// The chains that members show for their keys: {@link
/// io.tallystick.server.certificate.ChainTable}.
@NullMarked
package io.tallystick.server.certificate;

import org.jspecify.annotations.NullMarked;
