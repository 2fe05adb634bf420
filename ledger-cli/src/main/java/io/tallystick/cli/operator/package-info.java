/// Whoever runs a service: `up`, `backup`, `restore`, `rebuild`, `prune`, `health`, `keys`,
/// `train`. Sees no other commands.
@NullMarked
package io.tallystick.cli.operator;

import org.jspecify.annotations.NullMarked;
