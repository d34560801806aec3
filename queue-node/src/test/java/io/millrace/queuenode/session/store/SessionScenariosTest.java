package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.PROCESS;
import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.w;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.RegistrationOutcome;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tests of the system that the rules come from (spec/systems-today.md §1.7), by name. Where its
 * code differs from its design, the design holds: a worker is retired at the third missed
 * heartbeat, a repeated registration changes nothing, and whoever has room gets all that waits, not
 * one.
 */
class SessionScenariosTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @TempDir private Path folder;
  private SessionStoreFixture sessions;
  private final Map<String, Integer> owners = new HashMap<>();
  private int ids;

  @BeforeEach
  void open() {
    sessions = SessionStoreFixture.withAllSlots(folder);
  }

  @AfterEach
  void close() {
    sessions.close();
  }

  private void limited(int maxPerWorker) {
    sessions.rules = sessions.rules.withMaxPerWorker(maxPerWorker);
  }

  /** An event for each key, as they arrive; what was assigned, such as "1>w2". */
  private String events(int... keys) {
    for (int key : keys) {
      assertThat(sessions.put(Integer.toString(key), "e" + ++ids)).isEqualTo("STORED");
    }
    return assigned();
  }

  // What was assigned since the last call, in the order of the keys.
  private String assigned() {
    List<String> fresh = new ArrayList<>();
    for (int key = 1; key <= 10; key++) {
      Session session = sessions.session(Integer.toString(key));
      Integer before = owners.get(Integer.toString(key));
      Integer now = session == null || session.worker() == null ? null : number(session.worker());
      owners.put(Integer.toString(key), now);
      if (now != null && !now.equals(before)) {
        fresh.add(key + ">w" + now);
      }
    }
    return String.join(" ", fresh);
  }

  private static int number(SessionWorker worker) {
    return (int) worker.id().getLeastSignificantBits();
  }

  private String complete(int key) {
    Session session = sessions.session(Integer.toString(key));
    List<ResultAnswer> answers =
        sessions
            .poll(
                number(session.worker()),
                0,
                SessionStoreFixture.result(
                    session.key(), session.number(), session.accepted(), ResultKind.COMPLETED))
            .answers();
    assertThat(answers).extracting(ResultAnswer::outcome).containsExactly(ResultOutcome.DONE);
    return assigned();
  }

  private String next() {
    return "w" + number(sessions.assignment().next());
  }

  private void leave(int worker) {
    assertThat(sessions.store.leave(QUEUE, w(worker), PROCESS).left()).isTrue();
    sessions.commit();
  }

  private SessionWorkerState state(int worker) {
    return sessions.assignment().worker(w(worker)).state();
  }

  private void wait(Duration time) {
    sessions.clock.advance(time);
    sessions.look();
  }

  @Test
  void testConfigFile() {
    limited(1);
    sessions.available(1);
    assertThat(events(1, 2)).isEqualTo("1>w1");
    sessions.rules = sessions.rules.withHeartbeat(Duration.ofMinutes(2));
    wait(Duration.ofMinutes(5));
    assertThat(state(1))
        .as("three beats of one minute were missed")
        .isEqualTo(SessionWorkerState.ABSENT);
    wait(MINUTE);
    assertThat(state(1)).isEqualTo(SessionWorkerState.RETIRED);
  }

  @Test
  void testRegisterWorker() {
    sessions.register(1);
    assertThat(next()).isEqualTo("w1");
    leave(1);
    assertThat(sessions.assignment().next()).isNull();
    sessions.register(1);
    assertThat(next()).isEqualTo("w1");
    sessions.register(2, 3);
    for (int worker : List.of(1, 2, 3)) {
      sessions.poll(worker, 0);
    }
    assertThat(events(1, 2, 3, 4)).isEqualTo("1>w1 2>w2 3>w3 4>w1");
  }

  @Test
  void testWorkerHeartbeat() {
    assertThatThrownBy(() -> sessions.pollAs(1, PROCESS, 1, 0))
        .as("it has to register")
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_WORKER));
    sessions.available(1);
    wait(MINUTE);
    assertThat(state(1)).isEqualTo(SessionWorkerState.ABSENT);
    assertThat(events(1)).as("nothing new for a worker that is not heard of").isEmpty();
    sessions.poll(1, 0);
    assertThat(assigned()).isEqualTo("1>w1");

    wait(MINUTE.multipliedBy(3).minusNanos(1));
    assertThat(state(1)).isEqualTo(SessionWorkerState.ABSENT);
    wait(Duration.ofNanos(1));
    assertThat(state(1))
        .as("retired at the third missed one")
        .isEqualTo(SessionWorkerState.RETIRED);
    assertThatThrownBy(() -> sessions.poll(1, 0)).isInstanceOf(MillraceException.class);
    assertThat(sessions.session("1").worker()).isNull();
  }

  @Test
  void testAssignWork() {
    limited(2);
    sessions.available(1, 2, 3);
    assertThat(events(1, 2, 3, 4, 5, 6)).isEqualTo("1>w1 2>w2 3>w3 4>w1 5>w2 6>w3");
    assertThat(events(1)).isEmpty();
    assertThat(sessions.session("1").worker().id()).isEqualTo(w(1));
    assertThat(sessions.session("1").accepted()).isEqualTo(2);
    assertThat(events(7)).isEmpty();
    assertThat(sessions.session("7").worker()).isNull();
    assertThat(sessions.session("7").accepted()).isOne();
  }

  @Test
  void testJobCompleted() {
    limited(1);
    sessions.available(1, 2);
    assertThat(events(1, 2, 3, 4)).isEqualTo("1>w1 2>w2");
    assertThat(complete(1)).isEqualTo("3>w1");
    assertThat(complete(2)).isEqualTo("4>w2");
    assertThat(events(5, 6)).isEmpty();
    assertThat(complete(4)).isEqualTo("5>w2");
    assertThat(complete(3)).isEqualTo("6>w1");
    assertThat(complete(5)).isEmpty();
  }

  @Test
  void testDeregisterWorker() {
    sessions.available(1);
    assertThat(events(1, 1)).isEqualTo("1>w1");
    leave(1);
    assertThat(sessions.session("1").worker()).isNull();
    sessions.register(2);
    sessions.look();
    assertThat(assigned()).as("not before its first heartbeat").isEmpty();
    assertThat(SessionStoreFixture.delivered(sessions.poll(2, 10)))
        .as("with the stored events")
        .isEqualTo("1:1,2");
    assertThat(assigned()).isEqualTo("1>w2");

    sessions.available(3);
    leave(2);
    assertThat(assigned()).as("a free colleague gets it at once").isEqualTo("1>w3");
  }

  @Test
  void testAssignJobQueue() {
    limited(1);
    sessions.available(1, 2, 3, 4);
    assertThat(next()).isEqualTo("w1");
    String[] expected = {"1>w1", "2>w2", "3>w3", "4>w4"};
    String[] turns = {"w2", "w3", "w4", "w1"};
    for (int key = 1; key <= 4; key++) {
      assertThat(events(key)).isEqualTo(expected[key - 1]);
      assertThat(next()).isEqualTo(turns[key - 1]);
    }
    assertThat(events(5, 6)).isEmpty();
    // Those who have completed get the next ones, whoever's turn it is.
    assertThat(complete(3)).isEqualTo("5>w3");
    assertThat(complete(2)).isEqualTo("6>w2");
    assertThat(next()).isEqualTo("w1");
    assertThat(complete(1)).isEmpty();
    assertThat(complete(4)).isEmpty();
    assertThat(events(7, 8)).isEqualTo("7>w1 8>w4");
    assertThat(next()).isEqualTo("w1");
    assertThat(complete(6)).isEmpty();
    assertThat(events(9)).as("those that are full are passed over").isEqualTo("9>w2");
    assertThat(next()).isEqualTo("w3");
  }

  @Test
  void aLimitThatIsRaisedLetsWorkersHaveMoreBeforeTheirNextHeartbeat() {
    limited(1);
    sessions.available(1);
    assertThat(events(1, 2)).isEqualTo("1>w1");
    limited(2);
    sessions.look();
    assertThat(assigned()).isEqualTo("2>w1");
  }

  @Test
  void aBacklogGoesToWhoeverComesAndARetiredWorkersSessionsToAllOthers() {
    limited(4);
    sessions.available(1);
    assertThat(events(1, 2, 3, 4, 5, 6, 7)).isEqualTo("1>w1 2>w1 3>w1 4>w1");
    sessions.register(2, 3);
    sessions.poll(2, 0);
    assertThat(assigned()).isEqualTo("5>w2 6>w2 7>w2");
    sessions.poll(3, 0);
    leave(1);
    assertThat(assigned()).isEqualTo("1>w3 2>w2 3>w3 4>w3");
  }

  @Test
  void sessionsOfALostWorkerGoFirstAndThoseOfOneThatLeftLast() {
    limited(2);
    sessions.available(1, 2);
    assertThat(events(1, 2, 3, 4, 5)).isEqualTo("1>w1 2>w2 3>w1 4>w2");
    leave(2);
    wait(MINUTE.multipliedBy(3));
    List<String> waiting = new ArrayList<>();
    SessionList unassigned = sessions.assignment().unassigned();
    for (Session one = unassigned.first(); one != null; one = unassigned.after(one)) {
      waiting.add(one.key());
    }
    assertThat(waiting).containsExactly("1", "3", "5", "2", "4");
  }

  @Test
  void aRegistrationThatIsRepeatedChangesNothingAndAnotherProcessStartsAfresh() {
    sessions.available(1);
    events(1);
    assertThat(sessions.register(1, PROCESS, null)).isEqualTo(RegistrationOutcome.REPEATED);
    assertThat(sessions.session("1").worker()).isNotNull();

    UUID restarted = new UUID(8, 8);
    SessionNumber before = sessions.session("1").number();
    assertThat(sessions.register(1, restarted, null)).isEqualTo(RegistrationOutcome.REPLACED);
    assertThat(sessions.session("1").worker()).isNull();
    assertThatThrownBy(() -> sessions.poll(1, 0)).isInstanceOf(MillraceException.class);
    assertThat(sessions.store.leave(QUEUE, w(1), PROCESS).left()).isFalse();
    sessions.poll(1, restarted, 0);
    assertThat(sessions.session("1").number().compareTo(before)).isPositive();
    for (ResultKind kind : ResultKind.values()) {
      assertThat(
              sessions
                  .poll(1, restarted, 0, SessionStoreFixture.result("1", before, 1, kind))
                  .answers())
          .extracting(ResultAnswer::outcome)
          .containsExactly(ResultOutcome.STALE);
    }
    assertThat(sessions.session("1").acknowledged()).isZero();
  }

  @Test
  void aRetiredWorkerIsForgottenAfterAWhile() {
    sessions.available(1);
    leave(1);
    wait(Duration.ofMinutes(10).minusNanos(1));
    assertThat(sessions.assignment().worker(w(1))).isNotNull();
    wait(Duration.ofNanos(1));
    assertThat(sessions.assignment().worker(w(1))).isNull();
  }
}
