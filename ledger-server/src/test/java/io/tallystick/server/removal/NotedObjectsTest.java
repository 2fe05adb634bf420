package io.tallystick.server.removal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.LocalObjects;
import io.tallystick.storage.object.ObjectWriter;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// Goal: an object that no row names goes, whatever became of the note that it was made for, and no
/// other does. Method: notes that the test answers.
class NotedObjectsTest {
  private static final Object OF = "a ledger";

  private final InMemoryDisk disk = new InMemoryDisk();
  private final LocalObjects store = LocalObjects.open(disk);
  private final Stillness still = new Stillness();
  private final NotedObjects objects = new NotedObjects(store, still);
  private final Set<KeptObject> named = new HashSet<>();
  private final CompletableFuture<List<NotedObjects.Unnamed>> note = new CompletableFuture<>();

  NotedObjectsTest() throws IOException {}

  private NotedObjects.Making begin() {
    return objects.begin(OF, named::contains);
  }

  private KeptObject make(NotedObjects.Making making, String content) throws IOException {
    try (ObjectWriter writer = store.create()) {
      writer.write(ByteBuffer.wrap(Bytes.utf8(content).toArray()));
      return making.finish(writer);
    }
  }

  private KeptObject make(String content) throws IOException {
    try (NotedObjects.Making making = begin()) {
      KeptObject object = make(making, content);
      var _ = making.noted(note, unnamed -> unnamed);
      return object;
    }
  }

  private boolean isThere(KeptObject object) throws IOException {
    objects.deleteUnnamed();
    return store.open(object).isPresent();
  }

  @Test
  void whatANoteNamesStaysAndWhatItTakesAwayGoes() throws Exception {
    KeptObject old = make("old");
    named.add(old);
    note.complete(List.of());
    assertThat(isThere(old)).isTrue();
    CompletableFuture<List<NotedObjects.Unnamed>> next = new CompletableFuture<>();
    try (NotedObjects.Making making = begin()) {
      KeptObject fresh = make(making, "fresh");
      var _ = making.noted(next, unnamed -> unnamed);
      assertThat(isThere(fresh)).as("its note is under way").isTrue();
      assertThat(objects.begun(OF)).hasSize(1);
      assertThat(objects.begun("another")).isEmpty();
      named.clear();
      named.add(fresh);
      next.complete(List.of(new NotedObjects.Unnamed(old, named::contains)));
      assertThat(isThere(old)).isFalse();
      assertThat(isThere(fresh)).isTrue();
      assertThat(objects.areEnded(Set.of(making))).isTrue();
    }
  }

  /// Its caller has long been answered that nobody knows.
  @Test
  void whatALateRefusalLeavesGoes() throws Exception {
    KeptObject refused = make("refused");
    note.completeExceptionally(new RequestRejectedException(RejectionCode.UNAVAILABLE, "late"));
    assertThat(isThere(refused)).isFalse();
  }

  @Test
  void whatWasMadeWithoutANoteGoes() throws Exception {
    KeptObject left;
    try (NotedObjects.Making making = begin()) {
      left = make(making, "the next one failed");
      assertThat(isThere(left)).isTrue();
    }
    assertThat(isThere(left)).isFalse();
  }

  /// A frame that names it may be durable.
  @Test
  void whatAFailureLeavesStays() throws Exception {
    KeptObject unknown = make("unknown");
    note.completeExceptionally(new IOException("the shard failed"));
    assertThat(isThere(unknown)).isTrue();
    assertThat(objects.begun(OF)).as("whoever erases waits").hasSize(1);
  }

  @Test
  void nothingGoesWhileABackupIsMade() throws Exception {
    KeptObject refused = make("refused");
    note.completeExceptionally(new RequestRejectedException(RejectionCode.UNAVAILABLE, "no"));
    still.hold();
    Thread other = Thread.ofPlatform().start(objects::deleteUnnamed);
    other.join();
    assertThat(store.open(refused)).isPresent();
    still.release();
    assertThat(isThere(refused)).isFalse();
  }

  /// The same bytes are the same object in a data directory.
  @Test
  void whatAnotherHasMadeToNameItStays() throws Exception {
    KeptObject refused = make("the same");
    try (NotedObjects.Making making = begin()) {
      KeptObject same = make(making, "the same");
      note.completeExceptionally(new RequestRejectedException(RejectionCode.UNAVAILABLE, "no"));
      assertThat(isThere(refused)).isTrue();
      named.add(same);
      var _ = making.noted(CompletableFuture.completedFuture(true), _ -> List.of());
    }
    assertThat(isThere(refused)).isTrue();
    assertThat(objects.begun(OF)).isEmpty();
  }
}
