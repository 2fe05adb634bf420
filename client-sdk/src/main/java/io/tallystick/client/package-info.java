/// The client of a Tallystick service; it returns nothing that it has not verified. Start at {@link
/// io.tallystick.client.TallyClient}. Quick start: `docs/sdk.md`.
@NullMarked
package io.tallystick.client;

import org.jspecify.annotations.NullMarked;
