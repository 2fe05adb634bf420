/// Slots of a few sizes in files of their own, written once per savepoint and used again once no
/// kept version needs them: location-addressed, so that an address is a position on disk. {@link
/// io.tallystick.storage.page.SlotStore} is the entry. Source: ViDB section 4 (LVPS);
/// `docs/formats/slots.md`.
@NullMarked
package io.tallystick.storage.page;

import org.jspecify.annotations.NullMarked;
