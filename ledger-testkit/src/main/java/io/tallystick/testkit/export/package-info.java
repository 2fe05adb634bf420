/// Writes what this project signs and proves as files of cases for verifiers that others wrote; see
/// `conformance/README.md`. Start at {@link io.tallystick.testkit.export.ConformanceExport}.
@NullMarked
package io.tallystick.testkit.export;

import org.jspecify.annotations.NullMarked;
