/// A ready-made ledger, keys and submissions for tests, the same in every run. Start at {@link
/// io.tallystick.testkit.Fixtures}.
@NullMarked
package io.tallystick.testkit;

import org.jspecify.annotations.NullMarked;
