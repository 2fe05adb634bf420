/// The client of a Tallystick service that believes nothing it has not checked: start at {@link
/// io.tallystick.client.TallyClient}. Quick start: `docs/sdk.md`.
@NullMarked
package io.tallystick.client;

import org.jspecify.annotations.NullMarked;
