/// The findings of an audit, for people as text or as a page, for machines as plain values. Sees
/// what an {@link io.tallystick.audit.AuditReport} is made of.
@NullMarked
package io.tallystick.audit.report;

import org.jspecify.annotations.NullMarked;
