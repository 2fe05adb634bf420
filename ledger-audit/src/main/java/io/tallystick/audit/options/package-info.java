/// The options of an audit, among them whom the auditor trusts: {@link
/// io.tallystick.audit.options.AuditOptions}. Sees `statement` and what that sees, and the memory
/// that `replay` may take.
@NullMarked
package io.tallystick.audit.options;

import org.jspecify.annotations.NullMarked;
