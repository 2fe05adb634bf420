package io.tallystick.storage.forest;

import io.tallystick.storage.forest.SavedList.SavedFile;
import io.tallystick.storage.page.SlotList;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The slots and files that a state has taken and given up since its last version that is saved, or
/// will be. For the owner.
final class SlotChanges {
  private final ForestStore store;
  private final SavedVersions saved;
  private final AddressList taken = new AddressList();
  private final List<SavedFile> files = new ArrayList<>();
  private GivenUp givenUp = new GivenUp();

  /// The slots taken while a state is filled again, which asks for single ones.
  private @Nullable AddressSet takenFilling;

  SlotChanges(ForestStore store, SavedVersions saved) {
    this.store = store;
    this.saved = saved;
  }

  /// Takes over the slots that were just written.
  ///
  /// @param filling a state again
  void countTaken(boolean filling) {
    SlotList more = store.slotPages().taken();
    if (filling) {
      takenFilling = takenFilling == null ? new AddressSet() : takenFilling;
      takenFilling.addAll(more);
    } else {
      for (long address : more.addresses()) {
        taken.add(address);
      }
    }
    saved.took(more.bytes(store.slots().sizes()));
  }

  /// The next version does without.
  void giveUp(GivenUp without) {
    givenUp.add(without);
  }

  /// The same while a state is filled again: a slot that no version was saved with is free at once.
  void giveUpOrBack(GivenUp without) throws CorruptStreamException {
    for (long address : without.addresses()) {
      if (store.slotPages().isOfBase(address)) {
        continue;
      }
      if (takenFilling != null && takenFilling.remove(store.slotPages().slot(address))) {
        store.slotPages().giveBack(address);
        saved.took(-store.slots().sizes().bytesAt(address));
      } else {
        givenUp.add(address);
      }
    }
  }

  void giveUp(ForestPartition partition, PartFile file) {
    files.add(
        new SavedFile(
            partition.number(), file.serial(), partition.lastHeight().orElseThrow(), file.bytes()));
  }

  /// The newest version is saved with them.
  void save(ForestHead head, long operations) throws IOException, CorruptStreamException {
    if (saved.has(head.height())) {
      saved.replaceNewest(head);
      return;
    }
    SlotList more = drainTaken();
    SlotList less = givenUp.slots();
    saved.release(less.in(more)); // a rebuild took them, and no version was saved with them
    saved.add(head, operations, more.without(less), less.without(more), files);
    givenUp = new GivenUp();
    files.clear();
  }

  /// The slots that were taken, which are forgotten.
  SlotList drainTaken() {
    SlotList all = SlotList.of(taken.drain());
    if (takenFilling != null) {
      all = all.with(takenFilling.drain());
      takenFilling = null;
    }
    return all;
  }

  /// Frees the slots that were taken.
  ///
  /// @param others that were taken, too
  void giveBack(SlotList others) throws CorruptStreamException {
    for (long address : drainTaken().with(others).addresses()) {
      store.slots().giveBack(address);
    }
  }

  /// The slots of the last saved version that the newest does without.
  SlotList givenUp() {
    return givenUp.slots();
  }
}
