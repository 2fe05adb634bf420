/// Writes an audited log as public files: {@link io.tallystick.audit.export.TileExport} its tiles,
/// {@link io.tallystick.audit.export.TimeExport} its time-stamp tokens. Sees all but `report` and
/// `tree`.
@NullMarked
package io.tallystick.audit.export;

import org.jspecify.annotations.NullMarked;
