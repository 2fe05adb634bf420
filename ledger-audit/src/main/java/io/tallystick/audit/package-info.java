/// The external auditor: it replays a whole log from what anyone can read, trusting neither the
/// service nor its code, and names the first journal at fault. Start at {@link
/// io.tallystick.audit.Auditor}. What it checks: `docs/audit.md`; the saved log it reads:
/// `docs/formats/log-copy.md`.
@NullMarked
package io.tallystick.audit;

import org.jspecify.annotations.NullMarked;
