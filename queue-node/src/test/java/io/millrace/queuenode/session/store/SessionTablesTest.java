package io.millrace.queuenode.session.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.session.SessionNumber;
import io.millrace.queuenode.store.UndoList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The arrays in which a store of sessions keeps much in little memory. */
class SessionTablesTest {
  private final UndoList undo = new UndoList();
  private final Random random = new Random(1);

  @Test
  void sessionsAreFoundByTheirKeysAfterAnyChanges() {
    KeyTable table = new KeyTable(undo);
    SlotSessions slot = new QueueSessions(1, "orders", 1, undo).anySlot(0);
    Map<String, Session> expected = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      String key = "k" + random.nextInt(300);
      Session known = expected.remove(key);
      if (known != null) {
        table.remove(known);
      } else {
        Session session = new Session(slot, key, i, 0, new SessionNumber(1, 0));
        table.put(session);
        expected.put(key, session);
      }
      assertThat(table.get(key)).isSameAs(expected.get(key));
    }
    assertThat(table.size()).isEqualTo(expected.size());
    Set<Session> all = new HashSet<>();
    table.forEach(all::add);
    assertThat(all).isEqualTo(new HashSet<>(expected.values()));
    expected.forEach((key, session) -> assertThat(table.get(key)).isSameAs(session));
    undo.undo();
    assertThat(table.size()).isZero();
  }

  @Test
  void rowsOfEqualHashesAreAllFound() {
    RowTable table = new RowTable(undo);
    Map<Long, Set<Long>> expected = new HashMap<>();
    for (long seq = 1; seq <= 20_000; seq++) {
      long hash = random.nextInt(40) << 28;
      Set<Long> rows = expected.computeIfAbsent(hash, none -> new TreeSet<>());
      if (rows.size() > 3) {
        long gone = rows.iterator().next();
        rows.remove(gone);
        assertThat(table.remove(hash, gone)).isTrue();
        assertThat(table.remove(hash, gone)).isFalse();
      }
      rows.add(seq);
      table.add(hash, seq);
      long[] found = table.rows(hash);
      Arrays.sort(found);
      assertThat(found).containsExactly(rows.stream().mapToLong(Long::longValue).toArray());
    }
    undo.undo();
    assertThat(table.size()).isZero();
    assertThat(table.rows()).isEmpty();
  }

  @Test
  void hashesAreStoredAndNeverChange() {
    assertThat(IdHash.of("")).isEqualTo(-5995613062738323694L);
    assertThat(IdHash.of("order-1")).isEqualTo(-1623052865500065082L);
    assertThat(
            IntStream.range(0, 200_000).mapToLong(i -> IdHash.of("event-" + i)).distinct().count())
        .isEqualTo(200_000);
  }

  @Test
  void eventsFarApartInTheLogAreKept() {
    SlotSessions slot = new QueueSessions(1, "orders", 1, undo).anySlot(0);
    Session session = new Session(slot, "a", 1, 0, new SessionNumber(1, 0));
    long[] seqs = {5, 6, 5_000_000_000L, 5_000_000_001L, 9_000_000_000_000L};
    for (long seq : seqs) {
      session.accept(seq, seq * 7, 10, 0, undo);
    }
    assertThat(session.seqs(0, 5)).containsExactly(seqs);
    undo.forget();
    session.cover(3, 77, undo);
    assertThat(session.seqs(0, 2)).containsExactly(5_000_000_001L, 9_000_000_000_000L);
    assertThat(session.knows(35)).isTrue();
    assertThat(session.bytes()).isEqualTo(20);
    undo.undo();
    assertThat(session.seqs(0, 5)).containsExactly(seqs);
    assertThat(session.bytes()).isEqualTo(50);
  }

  @Test
  void onlyTheLastIdsOfEventsThatAreNoLongerKeptAreKnown() {
    SlotSessions slot = new QueueSessions(1, "orders", 1, undo).anySlot(0);
    Session session = new Session(slot, "a", 1, 0, new SessionNumber(1, 0));
    int last = KeptEvents.EARLIER + 36;
    for (int i = 1; i <= last; i++) {
      session.accept(i, i, 1, 0, undo);
      session.cover(i, i + 1_000, undo);
    }
    assertThat(session.knows(last - KeptEvents.EARLIER)).isFalse();
    assertThat(session.knows(last + 1 - KeptEvents.EARLIER)).isTrue();
    assertThat(session.lastHashes(2)).containsExactly(last - 1, last);
  }
}
