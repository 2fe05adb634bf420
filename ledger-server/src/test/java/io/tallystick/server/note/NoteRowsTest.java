package io.tallystick.server.note;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: rows are those of the newest durable frame, whatever a savepoint holds; what is decided
/// together sees itself; a lost or doubled frame is noticed. Method: random notes against a map.
class NoteRowsTest {
  private final InMemoryMetaStore meta = new InMemoryMetaStore();

  private static Bytes key(int number) {
    return Bytes.utf8("g" + (char) ('a' + number / 4) + number % 4);
  }

  private TestNotes notes() {
    return TestNotes.over(meta, () -> 0, _ -> Optional.empty());
  }

  @Seeded(runs = 40)
  void rowsAreThoseOfTheNewestFrameAlsoAfterARestart(SplittableRandom random) throws Exception {
    InMemoryMetaStore store = new InMemoryMetaStore();
    TestNotes notes = TestNotes.over(store, () -> 0, _ -> Optional.empty());
    Map<Bytes, Bytes> model = new TreeMap<>();
    for (int i = 0; i < 60; i++) {
      switch (random.nextInt(6)) {
        case 0 -> notes.savepoint(random.nextInt(4));
        case 1 -> {
          notes = notes.reopened(store);
          notes.replay();
        }
        default -> change(notes, random, i, model);
      }
      assertThat(notes.rows().withPrefix(Bytes.utf8("g"))).isEqualTo(model);
      for (int k = 0; k < 8; k++) {
        assertThat(notes.rows().get(key(k))).isEqualTo(model.get(key(k)));
      }
    }
  }

  private static void change(
      TestNotes notes, SplittableRandom random, int step, Map<Bytes, Bytes> model)
      throws RequestRejectedException {
    int changes = 1 + random.nextInt(3);
    boolean refused = random.nextInt(5) == 0;
    Map<Bytes, Bytes> then = new TreeMap<>(model);
    try {
      boolean _ =
          notes.write(
              10,
              (draft, _) -> {
                for (int i = 0; i < changes; i++) {
                  Bytes key = key(random.nextInt(8));
                  assertThat(draft.get(key)).isEqualTo(then.get(key));
                  if (random.nextInt(3) == 0) {
                    draft.delete(key);
                    then.remove(key);
                  } else {
                    Bytes value = Bytes.utf8(step + "." + i);
                    draft.put(key, value);
                    then.put(key, value);
                  }
                }
                if (refused) {
                  throw new RequestRejectedException(RejectionCode.PRECONDITION_FAILED, "no");
                }
                return true;
              });
      model.clear();
      model.putAll(then);
    } catch (RequestRejectedException e) {
      assertThat(refused).isTrue();
    }
  }

  /// One that was decided and is taken back leaves what others of the same frame decided.
  @Test
  void cutsWhatIsTakenBack() throws Exception {
    NoteDraft draft = new NoteDraft(new NoteRows(meta));
    draft.put(key(0), Bytes.utf8("kept"));
    int size = draft.size();
    draft.put(key(0), Bytes.utf8("other"));
    draft.put(key(1), Bytes.utf8("further"));
    draft.cutTo(size);
    assertThat(draft.get(key(0))).isEqualTo(Bytes.utf8("kept"));
    assertThat(draft.get(key(1))).isNull();
    draft.delete(key(1));
    assertThat(draft.notes()).hasSize(1);
    draft.cutTo(0);
    assertThat(draft.isEmpty()).isTrue();
    assertThat(draft.get(key(0))).isNull();
  }

  @Test
  void aFrameThatIsLostOrThereTwiceIsNoticed() throws Exception {
    List<Note> first = List.of(new Note(key(0), Bytes.utf8("1"), null));
    List<Note> second = List.of(new Note(key(0), Bytes.utf8("2"), Note.digestOf(Bytes.utf8("1"))));
    NoteRows lost = new NoteRows(meta);
    assertThatThrownBy(() -> lost.replay(1, second))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("row 676130 follows from another value than it has");
    NoteRows twice = new NoteRows(meta);
    twice.replay(0, first);
    assertThatThrownBy(() -> twice.replay(1, first)).isInstanceOf(MalformedException.class);
    twice.replay(1, second);
    assertThat(twice.get(key(0))).isEqualTo(Bytes.utf8("2"));
  }

  /// Hears of keys, and takes no row "none".
  private static final class Heard implements NoteIndex {
    private final List<Bytes> keys = new ArrayList<>();

    @Override
    public void check(Bytes key, Bytes value) throws MalformedException {
      if (value.equals(Bytes.utf8("none"))) {
        throw new MalformedException("none");
      }
    }

    @Override
    public void changed(Bytes key, @Nullable Bytes value) throws MalformedException {
      if (value != null) {
        check(key, value);
      }
      keys.add(key);
    }
  }

  @Test
  void anIndexHearsOfRowsAndRefusesWhatIsNone() throws Exception {
    TestNotes notes = notes();
    boolean _ = notes.write(1, (draft, _) -> put(draft, 0, "row"));
    notes.savepoint(1);
    boolean _ = notes.write(1, (draft, _) -> put(draft, 1, "row"));
    Heard heard = new Heard();
    notes.rows().keep(Bytes.utf8("g"), heard);
    boolean _ = notes.write(1, (draft, _) -> put(draft, 2, "row"));
    assertThat(heard.keys).containsExactly(key(0), key(1), key(2));
    NoteDraft draft = new NoteDraft(notes.rows());
    put(draft, 3, "row");
    int before = draft.size();
    draft.check(0);
    put(draft, 3, "none");
    draft.check(draft.size());
    assertThatThrownBy(() -> draft.check(before)).isInstanceOf(MalformedException.class);
    meta.write(new MetaBatch().put(key(5), Bytes.utf8("none")));
    assertThatThrownBy(() -> notes.rows().keep(Bytes.utf8("g"), new Heard()))
        .isInstanceOf(CorruptStreamException.class);
  }

  @Test
  void aFrameTakesSoManyNotes() throws Exception {
    NoteDraft draft = new NoteDraft(new NoteRows(meta));
    Bytes large = Bytes.wrap(new byte[Note.VALUE_BYTES_MAX]);
    for (int i = 0; i < 42; i++) {
      draft.put(key(i % 8), large);
      draft.check(i);
    }
    int size = draft.size();
    draft.put(key(0), large);
    assertThatThrownBy(() -> draft.check(size))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.RATE_LIMITED));
    draft.cutTo(size);
    draft.check(0);
    assertThatThrownBy(() -> draft.put(key(0), Bytes.wrap(new byte[Note.VALUE_BYTES_MAX + 1])))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static boolean put(NoteDraft draft, int key, String row) throws IOException {
    draft.put(key(key), Bytes.utf8(row));
    return true;
  }

  @Test
  void bytesThatAreNoNotesAreRefused() throws Exception {
    FrameBuffer frame = new FrameBuffer();
    NotesSection.write(
        List.of(
            new Note(key(0), Bytes.utf8("row"), null),
            new Note(key(1), null, Note.digestOf(Bytes.utf8("old")))),
        frame.notes());
    byte[] good = Arrays.copyOf(frame.notes().array(), frame.notes().length());
    assertThat(NotesSection.read(ByteBuffer.wrap(good))).hasSize(2);
    assertThat(NotesSection.read(ByteBuffer.allocate(0))).isEmpty();
    for (int cut = 1; cut < good.length; cut++) {
      byte[] shorter = Arrays.copyOf(good, cut);
      assertThatThrownBy(() -> NotesSection.read(ByteBuffer.wrap(shorter)))
          .as("%d bytes", cut)
          .isInstanceOf(MalformedException.class);
    }
    byte[] longer = Arrays.copyOf(good, good.length + 1);
    assertThatThrownBy(() -> NotesSection.read(ByteBuffer.wrap(longer)))
        .isInstanceOf(MalformedException.class);
    byte[] unknown = good.clone();
    unknown[3] = 'h'; // the first byte of the first key
    assertThatThrownBy(() -> NotesSection.read(ByteBuffer.wrap(unknown)))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("no table of notes: 68");
    assertThatThrownBy(() -> NotesSection.read(ByteBuffer.wrap(new byte[] {(byte) 0x80})))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("without notes");
  }
}
