package io.tallystick.testkit.fault;

import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.contract.MetaStoreContract;
import java.io.IOException;
import java.util.Map;

class InMemoryMetaStoreTest extends MetaStoreContract {
  @Override
  protected MetaStore open() {
    return new InMemoryMetaStore();
  }

  @Override
  protected MetaStore reopen(MetaStore store) {
    return store;
  }

  @Override
  protected MetaStore opened(Map<String, byte[]> files) throws IOException {
    return InMemoryMetaStore.opened(files);
  }
}
