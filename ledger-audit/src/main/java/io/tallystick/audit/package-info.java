/// The external auditor: it replays a whole log from what anyone can read, trusting neither the
/// service nor its code, and names the first journal at fault. Start at {@link
/// io.tallystick.audit.Auditor}. What it checks: `docs/audit.md`. Its wings, each seen only by
/// those behind it: `finding`, `source`, `chunk`, `statement`, `options`, `history`, this package,
/// `report` and `export`; `tree`, `evidence` and `replay` stand beside.
@NullMarked
package io.tallystick.audit;

import org.jspecify.annotations.NullMarked;
