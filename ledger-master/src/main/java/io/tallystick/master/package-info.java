/// Which ledgers there are, where they live and who their members are. {@link
/// io.tallystick.master.LedgerRegistry} is the entry; a proxy asks it before it touches a node.
@NullMarked
package io.tallystick.master;

import org.jspecify.annotations.NullMarked;
