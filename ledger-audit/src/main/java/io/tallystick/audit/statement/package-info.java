/// An auditor's statement of how far it came, so that it can go on from there: {@link
/// io.tallystick.audit.statement.AuditStatement} and the files beside it, written down byte by byte
/// in `docs/formats/audit-statement.md`. Sees `chunk` and what that sees, and `replay`.
@NullMarked
package io.tallystick.audit.statement;

import org.jspecify.annotations.NullMarked;
