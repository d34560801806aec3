package io.millrace.queuenode.session;

import io.millrace.api.session.SessionNumber;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.queuenode.session.Session.SessionList;
import io.millrace.queuenode.session.SessionAssignment.Answer;
import io.millrace.queuenode.session.SessionAssignment.AssignmentSettings;
import io.millrace.queuenode.session.SessionWorker.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What holds after each of any changes, by the rules of M-01..M-12. */
class SessionAssignmentPropertiesTest {
  private static final Duration HEARTBEAT = Duration.ofSeconds(10);
  private static final int WORKERS = 5;
  private static final int KEYS = 40;
  private static final int CAP = 6;

  @Property(tries = 300)
  void anySequenceOfChanges(@ForAll long seed) {
    new Run(new Random(seed)).all(400);
  }

  private static final class Run {
    private final Random random;
    private final SessionAssignment assignment =
        new SessionAssignment(new AssignmentSettings(CAP, 15, HEARTBEAT, 3, Duration.ofMinutes(1)));
    private final Map<Integer, UUID> processes = new HashMap<>();
    private final Map<String, SessionNumber> numbers = new HashMap<>();
    private long now;

    Run(Random random) {
      this.random = random;
    }

    void all(int changes) {
      for (int i = 0; i < changes; i++) {
        List<String> waiting = waiting();
        change();
        keepsOrder(waiting);
        check();
      }
    }

    private void change() {
      int worker = random.nextInt(WORKERS);
      UUID id = new UUID(0, worker);
      UUID process = processes.computeIfAbsent(worker, any -> new UUID(1, 0));
      switch (random.nextInt(12)) {
        case 0 -> assignment.register(id, process, random.nextInt(2) == 0 ? null : 2, now);
        case 1, 2, 3 -> assignment.heartbeat(id, process, now);
        case 4 -> assignment.leave(id, process, now);
        case 5 -> {
          if (random.nextInt(4) == 0) {
            processes.put(worker, new UUID(1, random.nextInt()));
            assignment.register(id, processes.get(worker), null, now);
          }
        }
        case 6 -> {
          now += random.nextLong(HEARTBEAT.toNanos());
          assignment.look(now);
        }
        case 7, 8, 9 -> {
          String key = "k" + random.nextInt(KEYS);
          boolean opens = assignment.session(key) == null;
          boolean may = assignment.mayOpen();
          assertThat(assignment.accept(key, 1) == null).isEqualTo(opens && !may);
          allAssigned();
        }
        case 10 -> complete();
        default -> allAssigned();
      }
    }

    private void allAssigned() {
      assertThat(assignment.assign(1000)).hasSizeLessThan(1000);
      boolean room = workers().stream().anyMatch(SessionWorker::hasRoom);
      assertThat(assignment.unassigned() > 0 && room).isFalse();
    }

    private void complete() {
      Session session = assignment.session("k" + random.nextInt(KEYS));
      if (session == null) {
        return;
      }
      SessionNumber number = session.number();
      SessionNumber older = new SessionNumber(number.epoch(), number.handover() - 1);
      assertThat(assignment.acknowledge(session.key(), older, session.accepted()))
          .isEqualTo(Answer.STALE);
      assertThat(assignment.complete(session.key(), older, session.accepted()).answer())
          .isEqualTo(Answer.STALE);
      Answer answer = assignment.complete(session.key(), number, session.accepted()).answer();
      assertThat(answer).isIn(Answer.DONE, Answer.STALE);
      if (answer == Answer.DONE) {
        numbers.remove(session.key());
      }
    }

    private List<SessionWorker> workers() {
      List<SessionWorker> known = new ArrayList<>();
      for (int worker = 0; worker < WORKERS; worker++) {
        SessionWorker one = assignment.worker(new UUID(0, worker));
        if (one != null) {
          known.add(one);
        }
      }
      return known;
    }

    private List<String> waiting() {
      return keys(assignment.waiting());
    }

    private static List<String> keys(SessionList list) {
      List<String> keys = new ArrayList<>();
      for (Session one = list.first(); one != null; one = SessionList.after(one)) {
        keys.add(one.key());
      }
      assertThat(keys).hasSize(list.size());
      return keys;
    }

    // Those that waited before and wait still do so in the same order.
    private void keepsOrder(List<String> before) {
      List<String> after = waiting();
      List<String> still = new ArrayList<>(after);
      still.retainAll(new HashSet<>(before));
      List<String> expected = new ArrayList<>(before);
      expected.retainAll(new HashSet<>(after));
      assertThat(still).isEqualTo(expected);
    }

    private void check() {
      Set<String> seen = new HashSet<>();
      for (String key : waiting()) {
        assertThat(assignment.session(key).worker()).isNull();
        assertThat(seen.add(key)).isTrue();
      }
      for (SessionWorker worker : workers()) {
        int size = worker.sessions().size();
        assertThat(size).isLessThanOrEqualTo(worker.cap());
        if (worker.state() == State.RETIRED || worker.state() == State.REGISTERED) {
          assertThat(size).isZero();
        }
        for (String key : keys(worker.sessions())) {
          assertThat(assignment.session(key).worker()).isSameAs(worker);
          assertThat(seen.add(key)).as("a session is in one place").isTrue();
        }
      }
      assertThat(seen).hasSize(assignment.open());
      for (String key : seen) {
        SessionNumber number = assignment.session(key).number();
        SessionNumber before = numbers.put(key, number);
        assertThat(before == null || before.compareTo(number) <= 0).isTrue();
      }
    }
  }
}
