package io.tallystick.testkit.contract;

import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.fault.InMemoryMetaStore;

class InMemoryMetaStoreTest extends MetaStoreContract {
  @Override
  MetaStore open() {
    return new InMemoryMetaStore();
  }

  @Override
  MetaStore reopen(MetaStore store) {
    return store;
  }
}
