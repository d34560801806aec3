package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionText;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.queuenode.session.store.QueueSessions.Figure;
import io.millrace.queuenode.store.UndoList;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys that somebody has chosen so that they have one hash. */
class ChosenKeysTest {
  private static final int MANY = 1 << 12;
  private static final int PLACES = 2 * MANY;
  // About 3,200 places of 8,192 have some of 4,096 keys that are thrown at them.
  private static final int SPREAD = 3_000;

  @TempDir Path folder;

  /** Keys of Aa and BB, which have one String.hashCode. */
  private static List<String> ofOneHashCode() {
    return IntStream.range(0, MANY)
        .mapToObj(
            i -> {
              StringBuilder key = new StringBuilder("order-");
              for (int bit = 0; bit < 12; bit++) {
                key.append((i >> bit & 1) == 0 ? "Aa" : "BB");
              }
              return key.toString();
            })
        .toList();
  }

  private static long inverse(long odd) {
    long inverse = odd;
    for (int i = 0; i < 6; i++) {
      inverse *= 2 - odd * inverse;
    }
    return inverse;
  }

  private static String letters(long word) {
    return "" + (char) (word >>> 48) + (char) (word >>> 32) + (char) (word >>> 16) + (char) word;
  }

  /** Keys of eight letters in one slot with one IdHash: of any four first ones, four others. */
  private static List<String> ofOneIdHash(int count) {
    long first = 0x9E3779B97F4A7C15L;
    long second = 0xC2B2AE3D27D4EB4FL;
    List<String> keys = new ArrayList<>();
    for (long i = 0; keys.size() < count; i++) {
      long word =
          ('a' + i % 26) << 48
              | ('a' + i / 26 % 26) << 32
              | ('a' + i / 676 % 26) << 16
              | (0x4E00 + i / 17_576);
      long hash = first ^ 8 * second;
      long spread = Long.rotateLeft(word * second, 31) * first;
      hash = (Long.rotateLeft(hash ^ spread, 27) + 0x52DCE729L) * first;
      long rest = (hash ^ 0x123456789ABCDEFL) * inverse(first);
      String key = letters(word) + letters(Long.rotateRight(rest, 31) * inverse(second));
      if (SessionText.isPlain(key)
          && (keys.isEmpty() || SessionKey.slot(key) == SessionKey.slot(keys.get(0)))) {
        keys.add(key);
      }
    }
    assertThat(keys.stream().mapToLong(IdHash::of).distinct().count()).isEqualTo(1);
    return keys;
  }

  @Test
  void keysOfOneHashCodeHavePlacesOfTheirOwn() {
    List<String> keys = ofOneHashCode();
    assertThat(keys.stream().mapToInt(String::hashCode).distinct().count()).isEqualTo(1);
    assertThat(keys.stream().mapToInt(KeyHash::of).map(ChosenKeysTest::place).distinct().count())
        .isGreaterThan(SPREAD);
  }

  @Test
  void keysOfOnePlaceInOneProcessHaveOthersInTheNext() {
    List<String> chosen =
        IntStream.range(0, 400_000)
            .mapToObj(i -> "order-" + i)
            .filter(key -> place(KeyHash.of(key, 1, 2)) == 5)
            .toList();
    assertThat(chosen).hasSizeGreaterThan(20);
    assertThat(chosen.stream().mapToInt(key -> place(KeyHash.of(key, 1, 3))).distinct().count())
        .isGreaterThan(chosen.size() / 2);
    assertThat(chosen.stream().mapToInt(key -> place(KeyHash.of(key, 3, 2))).distinct().count())
        .isGreaterThan(chosen.size() / 2);
  }

  @Test
  void hashesDependOnEachLetterAndOnTheLength() {
    Set<Integer> hashes = new HashSet<>();
    int count = 0;
    for (int length = 0; length < 20; length++) {
      String zeros = "\0".repeat(length);
      hashes.add(KeyHash.of(zeros, 1, 2));
      count++;
      for (int i = 0; i < length; i++) {
        hashes.add(KeyHash.of(zeros.substring(0, i) + "a" + zeros.substring(i + 1), 1, 2));
        count++;
      }
    }
    assertThat(hashes).hasSize(count);
  }

  @Test
  void rowsOfHashesThatEndAlikeHavePlacesOfTheirOwn() {
    assertThat(
            LongStream.range(0, MANY)
                .map(i -> i << 32 | i)
                .mapToInt(KeyHash::of)
                .map(ChosenKeysTest::place)
                .distinct()
                .count())
        .isGreaterThan(MANY / 4);
  }

  @Test
  void openSessionsOfOneHashCodeAreFound() {
    UndoList undo = new UndoList();
    KeyTable table = new KeyTable(undo);
    SlotSessions slot = new QueueSessions(1, "orders", 1, undo).anySlot(0);
    List<Session> all = new ArrayList<>();
    for (String key : ofOneHashCode()) {
      all.add(new Session(slot, key, all.size(), 0, new SessionNumber(1, 0)));
      table.put(all.get(all.size() - 1));
    }
    assertThat(table.inOrder()).isEqualTo(all);
    all.forEach(session -> assertThat(table.get(session.key())).isSameAs(session));
  }

  @Test
  void ofCompletedKeysOfOneHashOnlyTheLastEndsAreRemembered() {
    List<String> keys = ofOneIdHash(RememberedKeys.MOST_OF_HASH + 3);
    try (SessionStoreFixture sessions = SessionStoreFixture.withAllSlots(folder)) {
      sessions.available(1);
      for (String key : keys) {
        assertThat(sessions.put(key, "e")).isEqualTo("STORED");
        sessions.poll(1, 0, result(sessions.poll(1, 10).sessions().get(0), ResultKind.COMPLETED));
      }
      QueueSessions queue = sessions.store.book().queue(QUEUE);
      assertThat(queue.slot(SessionKey.slot(keys.get(0))).remembered().size())
          .isEqualTo(RememberedKeys.MOST_OF_HASH);
      assertThat(queue.figure(Figure.FORGOTTEN)).isEqualTo(3);
      SessionStateCheck.check(sessions);
      String before = SessionStateCheck.durable(sessions);
      sessions.reopen();
      SessionStateCheck.same(SessionStateCheck.durable(sessions), before);
      assertThat(sessions.put(keys.get(3), "e")).isEqualTo("REPEATED");
      assertThat(sessions.put(keys.get(2), "e")).as("forgotten").isEqualTo("STORED");
    }
  }

  private static int place(int hash) {
    return hash & (PLACES - 1);
  }
}
