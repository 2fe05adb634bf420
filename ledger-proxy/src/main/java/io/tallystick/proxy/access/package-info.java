/// Who may read and who may found: bearer tokens, the members they stand for, and the operator's
/// list of founders. {@link io.tallystick.proxy.access.ReadAccess} is the one door to what a ledger
/// holds; both fronts read through it and through nothing else.
@NullMarked
package io.tallystick.proxy.access;

import org.jspecify.annotations.NullMarked;
