/// Whose a ledger is and who may use it: `ledger`, `member`, `token`, `invite`, `keygen`. Sees no
/// other commands.
@NullMarked
package io.tallystick.cli.member;

import org.jspecify.annotations.NullMarked;
