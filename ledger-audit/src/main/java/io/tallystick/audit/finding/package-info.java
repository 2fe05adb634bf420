/// The findings of an audit: faults and their kinds, what it counts, and the facts that a report
/// holds. Seen by everybody; sees no other package of the audit.
@NullMarked
package io.tallystick.audit.finding;

import org.jspecify.annotations.NullMarked;
