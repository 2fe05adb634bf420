package io.tallystick.testkit.fault;

import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.contract.MetaStoreContract;

class InMemoryMetaStoreTest extends MetaStoreContract {
  @Override
  protected MetaStore open() {
    return new InMemoryMetaStore();
  }

  @Override
  protected MetaStore reopen(MetaStore store) {
    return store;
  }
}
