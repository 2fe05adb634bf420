/// A service for the tests of an application, in the test's own process. Start at {@link
/// io.tallystick.client.testkit.TallystickExtension}; for users: `docs/sdk.md`, "Tests".
@NullMarked
package io.tallystick.client.testkit;

import org.jspecify.annotations.NullMarked;
