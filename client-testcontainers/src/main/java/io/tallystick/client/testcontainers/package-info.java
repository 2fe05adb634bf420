/// The image of the service as a container, for tests of applications. Start at {@link
/// io.tallystick.client.testcontainers.TallystickContainer}; for users: `docs/sdk.md`, "Tests".
@NullMarked
package io.tallystick.client.testcontainers;

import org.jspecify.annotations.NullMarked;
