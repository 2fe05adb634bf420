/// Members as the ledger has them: {@link io.tallystick.client.member.LedgerMember}. Sees no other
/// package of the client.
@NullMarked
package io.tallystick.client.member;

import org.jspecify.annotations.NullMarked;
