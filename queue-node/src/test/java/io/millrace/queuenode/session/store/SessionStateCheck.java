package io.millrace.queuenode.session.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.queuenode.session.store.QueueSessions.Figure;
import io.millrace.queuenode.session.store.SessionList.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/** What holds of the state of a store of sessions after any change. */
final class SessionStateCheck {
  private SessionStateCheck() {}

  /** Everything that a rollback must restore, in a form that can be compared. */
  static String state(SessionStoreFixture sessions) {
    StringBuilder text = new StringBuilder(durable(sessions));
    for (QueueSessions queue : sessions.store.book().queues()) {
      List<SessionWorker> workers = new ArrayList<>(queue.assignment().workers());
      workers.sort(Comparator.comparingLong(SessionWorker::order));
      // That it was heard of is true whatever becomes of the transaction.
      for (SessionWorker worker : workers) {
        text.append('\n').append(worker.id()).append(' ').append(worker.last().number());
        text.append('/').append(worker.lastReport().poll());
        text.append(" ready ").append(keys(worker.ready()));
        text.append(" delivered ").append(keys(worker.delivered()));
        for (SessionList list : List.of(worker.sessions(), worker.revoked())) {
          for (Session one = list.first(); one != null; one = list.after(one)) {
            text.append(' ').append(one.key()).append('>').append(one.delivered());
          }
        }
      }
    }
    return text.toString();
  }

  /** What survives an opening. */
  static String durable(SessionStoreFixture sessions) {
    StringBuilder text = new StringBuilder("live " + sessions.store.book().live());
    for (QueueSessions queue : sessions.store.book().queues()) {
      text.append('\n').append(queue.name()).append(queue.number());
      for (Figure figure : Figure.values()) {
        text.append(' ').append(figure).append(' ').append(queue.figure(figure));
      }
      text.append(" turn ").append(queue.assignment().nextTurn());
      text.append('/').append(queue.assignment().registrations());
      text.append(" remembered ").append(queue.remembered());
      queue.forEachSlot(slot -> text.append(slot.epoch() > 0 || !slot.isEmpty() ? of(slot) : ""));
      List<SessionWorker> workers = new ArrayList<>(queue.assignment().workers());
      workers.sort(Comparator.comparingLong(SessionWorker::order));
      for (SessionWorker worker : workers) {
        text.append("\nworker ").append(worker.order()).append(worker.employment());
        text.append(worker.employed()).append(worker.leaving()).append(worker.failuresOf());
        text.append(of(worker.sessions())).append(of(worker.revoked()));
      }
      text.append(of(queue.assignment().unassigned())).append(of(queue.assignment().parked()));
      text.append(of(queue.assignment().ending()));
    }
    return text.toString();
  }

  private static String of(SlotSessions slot) {
    StringBuilder text = new StringBuilder("\nslot " + slot.number() + slot.ownership());
    text.append(slot.handovers()).append(slot.drained()).append(slot.assigned());
    text.append(Arrays.toString(slot.remembered().rows())).append(of(slot.held()));
    slot.imports()
        .forEach(
            (from, arriving) -> {
              text.append("\nfrom ").append(from).append(' ').append(arriving.epoch());
              text.append('/').append(arriving.parts()).append(arriving.complete());
              arriving.sessions().values().forEach(session -> text.append(of(session)));
            });
    return text.toString();
  }

  private static String of(SessionList list) {
    StringBuilder text = new StringBuilder();
    for (Session one = list.first(); one != null; one = list.after(one)) {
      text.append(of(one));
    }
    return text.toString();
  }

  private static String of(Session session) {
    StringBuilder text = new StringBuilder("\n  " + session.key() + " #" + session.serial());
    text.append(' ').append(session.number()).append(session.assignedBefore());
    text.append(session.movedAlone()).append(" before ").append(session.acceptedBefore());
    text.append(" events ").append(session.acknowledged());
    text.append('/').append(session.accepted()).append(' ');
    text.append(session.start()).append('-').append(session.done());
    text.append(session.rare());
    text.append(" bytes ").append(session.bytes()).append(" at ").append(session.openedAt());
    text.append('-').append(session.lastEventAt()).append(" rows ");
    text.append(Arrays.toString(session.seqs(0, session.kept())));
    text.append(Arrays.hashCode(session.lastHashes(1_000)));
    return text.toString();
  }

  /** Fails with the lines that differ. */
  static void same(String after, String before) {
    List<String> gone = new ArrayList<>(before.lines().toList());
    gone.removeAll(after.lines().toList());
    List<String> fresh = new ArrayList<>(after.lines().toList());
    fresh.removeAll(before.lines().toList());
    assertThat(fresh).isEqualTo(gone);
    assertThat(after).isEqualTo(before);
  }

  private static List<String> keys(SessionList list) {
    List<String> keys = new ArrayList<>();
    for (Session one = list.first(); one != null; one = list.after(one)) {
      keys.add(one.key());
    }
    assertThat(keys).hasSize(list.size()).doesNotHaveDuplicates();
    return keys;
  }

  static void check(SessionStoreFixture sessions) {
    Roaring64Bitmap live = new Roaring64Bitmap();
    for (QueueSessions queue : sessions.store.book().queues()) {
      long[] sums = new long[Figure.values().length];
      queue.forEachSlot(
          slot -> {
            slot.sessions().forEach(session -> check(session, sums, live));
            slot.imports()
                .values()
                .forEach(arriving -> arriving.sessions().values().forEach(one -> rows(one, live)));
            slot.remembered().forEach((hash, seq) -> live.addLong(seq));
            sums[Figure.REMEMBERED.place()] += slot.remembered().size();
          });
      for (Figure figure :
          List.of(
              Figure.SESSIONS,
              Figure.ASSIGNED,
              Figure.PARKED,
              Figure.BYTES,
              Figure.WAITING,
              Figure.LEASED,
              Figure.REMEMBERED)) {
        assertThat(queue.figure(figure)).as(figure.name()).isEqualTo(sums[figure.place()]);
      }
      check(queue);
    }
    assertThat(sessions.store.book().live()).isEqualTo(live);
  }

  private static void check(QueueSessions queue) {
    boolean room = false;
    for (SessionWorker worker : queue.assignment().workers()) {
      keys(worker.ready());
      keys(worker.delivered());
      boolean has = worker.employed() && worker.hasRoom(queue.assignment().cap(worker));
      assertThat(queue.assignment().hasRoom(worker)).isEqualTo(has);
      room |= has;
      if (!worker.employed()) {
        assertThat(worker.size()).isZero();
      }
    }
    assertThat(queue.assignment().anyRoom()).isEqualTo(room);
    keys(queue.assignment().unassigned());
  }

  private static void rows(Session session, Roaring64Bitmap live) {
    for (long seq : session.seqs(0, session.kept())) {
      live.addLong(seq);
    }
    if (session.rare().snapshotSeq() != 0) {
      live.addLong(session.rare().snapshotSeq());
    }
  }

  private static void check(Session session, long[] sums, Roaring64Bitmap live) {
    rows(session, live);
    SessionWorker worker = session.worker();
    sums[Figure.SESSIONS.place()]++;
    sums[Figure.ASSIGNED.place()] += worker == null ? 0 : 1;
    sums[Figure.PARKED.place()] += session.parked() == null || worker != null ? 0 : 1;
    sums[Figure.BYTES.place()] += session.bytes();
    sums[(worker == null ? Figure.WAITING : Figure.LEASED).place()] += session.unacknowledged();
    assertThat(session.accepted()).isEqualTo(session.covered() + session.kept());
    assertThat(session.done())
        .isBetween(worker == null ? 0 : session.covered(), session.accepted());
    SessionAssignment assignment = session.queue().assignment();
    SessionList waiting = session.parked() == null ? assignment.unassigned() : assignment.parked();
    if (worker == null) {
      waiting = session.ending() == null ? waiting : assignment.ending();
      waiting = session.slot().blocked() ? session.slot().held() : waiting;
    } else {
      waiting = session.revoked() ? worker.revoked() : worker.sessions();
      assertThat(worker.ready().contains(session))
          .as("%s is ready", session.key())
          .isEqualTo(session.queue().hasDelivery(session));
      assertThat(worker.delivered().contains(session))
          .as("%s is delivered", session.key())
          .isEqualTo(session.delivered() > session.done());
    }
    assertThat(session.list(Kind.PLACE)).as("place of %s", session.key()).isSameAs(waiting);
    if (worker == null) {
      assertThat(session.list(Kind.READY)).isNull();
      assertThat(session.list(Kind.DELIVERED)).isNull();
    }
  }
}
