/// Signing and verifying behind {@link io.tallystick.crypto.Signatures}, by the Amazon Corretto
/// Crypto Provider where it loads and by Bouncy Castle everywhere. The accept set is decided here,
/// before any provider is asked, so that all of them accept the same. Start at {@link
/// io.tallystick.crypto.provider.SignatureProviders}.
@NullMarked
package io.tallystick.crypto.provider;

import org.jspecify.annotations.NullMarked;
