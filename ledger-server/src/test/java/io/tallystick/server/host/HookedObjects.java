package io.tallystick.server.host;

import io.tallystick.model.Bytes;
import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.object.ObjectWriter;
import io.tallystick.storage.object.StoredObject;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Objects whose making, opening and listing a test sees, delays, or lets fail.
record HookedObjects(ObjectStore objects, Hook creating, Hook opening, Hook listing)
    implements ObjectStore {
  interface Hook {
    void before() throws IOException;
  }

  @Override
  public ObjectWriter create() throws IOException {
    creating.before();
    return objects.create();
  }

  @Override
  public Optional<StoredObject> open(KeptObject object) throws IOException {
    opening.before();
    return objects.open(object);
  }

  @Override
  public void delete(KeptObject object) throws IOException {
    objects.delete(object);
  }

  @Override
  public boolean isShared() {
    return objects.isShared();
  }

  @Override
  public List<Held> list() throws IOException {
    listing.before();
    return objects.list();
  }

  @Override
  public Bytes idOf(KeptObject object) throws IOException {
    return objects.idOf(object);
  }

  @Override
  public void delete(Held held) throws IOException {
    objects.delete(held);
  }
}
