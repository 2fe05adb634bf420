/// Audits the tree of a log whose leaves are not a ledger's: {@link
/// io.tallystick.audit.tree.TreeAuditor}. Sees `source` and what that sees.
@NullMarked
package io.tallystick.audit.tree;

import org.jspecify.annotations.NullMarked;
