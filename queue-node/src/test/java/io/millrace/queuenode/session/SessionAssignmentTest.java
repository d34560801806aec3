package io.millrace.queuenode.session;

import io.millrace.api.session.SessionNumber;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.queuenode.session.SessionAssignment.Answer;
import io.millrace.queuenode.session.SessionAssignment.Assignment;
import io.millrace.queuenode.session.SessionAssignment.AssignmentSettings;
import io.millrace.queuenode.session.SessionAssignment.Completion;
import io.millrace.queuenode.session.SessionAssignment.Registration;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The tests of the system that the rules come from (spec/systems-today.md §1.7), by name. Where its
 * code differs from its design, the design holds: a worker is retired at the third missed
 * heartbeat, a repeated registration changes nothing, and whoever has room gets all that waits, not
 * one.
 */
class SessionAssignmentTest {
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final UUID PROCESS = new UUID(7, 7);

  private long now;
  private SessionAssignment assignment = limited(30_000);

  private static SessionAssignment limited(int maxPerWorker) {
    return new SessionAssignment(settings(maxPerWorker, Duration.ofMinutes(1)));
  }

  private static AssignmentSettings settings(int maxPerWorker, Duration heartbeat) {
    return new AssignmentSettings(maxPerWorker, 100_000, heartbeat, 3, Duration.ofMinutes(10));
  }

  private static UUID w(int number) {
    return new UUID(0, number);
  }

  private void registered(int... workers) {
    for (int worker : workers) {
      assertThat(assignment.register(w(worker), PROCESS, null, now))
          .isEqualTo(Registration.EMPLOYED);
    }
  }

  private void available(int... workers) {
    registered(workers);
    for (int worker : workers) {
      assertThat(assignment.heartbeat(w(worker), PROCESS, now)).isTrue();
    }
    assign();
  }

  /** An event for each key, as they arrive; what was assigned, such as "1>w2". */
  private String events(int... keys) {
    StringBuilder assigned = new StringBuilder();
    for (int key : keys) {
      assertThat(assignment.accept(Integer.toString(key), 1)).isNotNull();
      assigned.append(assigned.length() > 0 ? " " : "").append(assign());
    }
    return assigned.toString().strip();
  }

  private String assign() {
    return described(assignment.assign(1000));
  }

  private static String described(List<Assignment> assigned) {
    return assigned.stream()
        .map(one -> one.session().key() + ">w" + one.worker().id().getLeastSignificantBits())
        .collect(Collectors.joining(" "));
  }

  private String complete(int key) {
    Session session = assignment.session(Integer.toString(key));
    Completion done = assignment.complete(session.key(), session.number(), session.accepted());
    assertThat(done.answer()).isEqualTo(Answer.DONE);
    return done.next() == null ? "" : described(List.of(done.next()));
  }

  private String next() {
    return "w" + assignment.next().id().getLeastSignificantBits();
  }

  @Test
  void testConfigFile() {
    assignment.use(settings(1, Duration.ofMinutes(1)));
    available(1);
    assertThat(events(1, 2)).isEqualTo("1>w1");
    assignment.use(settings(1, Duration.ofMinutes(2)));
    now += 5 * MINUTE;
    assertThat(assignment.look(now))
        .as("three beats of one minute were missed, not of two")
        .isEmpty();
    now += MINUTE;
    assertThat(assignment.look(now)).containsExactly(w(1));
  }

  @Test
  void testRegisterWorker() {
    registered(1);
    assertThat(next()).isEqualTo("w1");
    assertThat(assignment.leave(w(1), PROCESS, now)).isTrue();
    assertThat(assignment.next()).isNull();
    registered(1);
    assertThat(next()).isEqualTo("w1");
    registered(2, 3);
    for (int worker : List.of(1, 2, 3)) {
      assignment.heartbeat(w(worker), PROCESS, now);
    }
    assertThat(events(1, 2, 3, 4)).isEqualTo("1>w1 2>w2 3>w3 4>w1");
  }

  @Test
  void testWorkerHeartbeat() {
    assertThat(assignment.heartbeat(w(1), PROCESS, now)).as("it has to register").isFalse();
    available(1);
    now += MINUTE;
    assertThat(assignment.look(now)).isEmpty();
    assertThat(assignment.worker(w(1)).missed(now, MINUTE)).isOne();
    assertThat(events(1)).as("nothing new for a worker that is not heard of").isEmpty();
    assertThat(assignment.heartbeat(w(1), PROCESS, now)).isTrue();
    assertThat(assignment.worker(w(1)).missed(now, MINUTE)).isZero();
    assertThat(assign()).isEqualTo("1>w1");

    now += 3 * MINUTE - 1;
    assertThat(assignment.look(now)).isEmpty();
    now += 1;
    assertThat(assignment.look(now)).as("retired at the third missed one").containsExactly(w(1));
    assertThat(assignment.heartbeat(w(1), PROCESS, now)).isFalse();
    assertThat(assignment.session("1").worker()).isNull();
  }

  @Test
  void testAssignWork() {
    assignment = limited(2);
    available(1, 2, 3);
    assertThat(events(1, 2, 3, 4, 5, 6)).isEqualTo("1>w1 2>w2 3>w3 4>w1 5>w2 6>w3");
    assertThat(events(1)).isEmpty();
    assertThat(assignment.session("1").worker().id()).isEqualTo(w(1));
    assertThat(assignment.session("1").accepted()).isEqualTo(2);
    assertThat(events(7)).isEmpty();
    assertThat(assignment.session("7").worker()).isNull();
    assertThat(assignment.session("7").accepted()).isOne();
  }

  @Test
  void testJobCompleted() {
    assignment = limited(1);
    available(1, 2);
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
    available(1);
    assertThat(events(1, 1)).isEqualTo("1>w1");
    assertThat(assignment.leave(w(1), PROCESS, now)).isTrue();
    assertThat(assignment.session("1").worker()).isNull();
    registered(2);
    assertThat(assign()).as("not before its first heartbeat").isEmpty();
    assignment.heartbeat(w(2), PROCESS, now);
    assertThat(assign()).isEqualTo("1>w2");
    assertThat(assignment.session("1").accepted()).isEqualTo(2);

    available(3);
    assertThat(assignment.leave(w(2), PROCESS, now)).isTrue();
    assertThat(assign()).as("a free colleague gets it at once").isEqualTo("1>w3");
  }

  @Test
  void testAssignJobQueue() {
    assignment = limited(1);
    available(1, 2, 3, 4);
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
  void aBacklogGoesToWhoeverComesAndARetiredWorkersSessionsToAllOthers() {
    assignment = limited(4);
    available(1);
    assertThat(events(1, 2, 3, 4, 5, 6, 7)).isEqualTo("1>w1 2>w1 3>w1 4>w1");
    registered(2, 3);
    assignment.heartbeat(w(2), PROCESS, now);
    assertThat(assign()).isEqualTo("5>w2 6>w2 7>w2");
    assignment.heartbeat(w(3), PROCESS, now);
    assertThat(assignment.leave(w(1), PROCESS, now)).isTrue();
    assertThat(assign()).isEqualTo("1>w3 2>w2 3>w3 4>w3");
  }

  @Test
  void sessionsOfALostWorkerGoFirstAndThoseOfOneThatLeftLast() {
    assignment = limited(2);
    available(1, 2);
    assertThat(events(1, 2, 3, 4, 5)).isEqualTo("1>w1 2>w2 3>w1 4>w2");
    assignment.leave(w(2), PROCESS, now);
    now += 3 * MINUTE;
    assertThat(assignment.look(now)).containsExactly(w(1));
    assignment = filledBy(assignment);
    assertThat(assign()).isEqualTo("1>w3 3>w3 5>w3 2>w3 4>w3");
  }

  private SessionAssignment filledBy(SessionAssignment one) {
    one.use(settings(10, Duration.ofMinutes(1)));
    one.register(w(3), PROCESS, null, now);
    one.heartbeat(w(3), PROCESS, now);
    return one;
  }

  @Test
  void aRegistrationThatIsRepeatedChangesNothingAndAnotherProcessStartsAfresh() {
    available(1);
    events(1);
    assertThat(assignment.register(w(1), PROCESS, null, now)).isEqualTo(Registration.REPEATED);
    assertThat(assignment.session("1").worker()).isNotNull();

    UUID restarted = new UUID(8, 8);
    SessionNumber before = assignment.session("1").number();
    assertThat(assignment.register(w(1), restarted, null, now)).isEqualTo(Registration.REPLACED);
    assertThat(assignment.session("1").worker()).isNull();
    assertThat(assignment.heartbeat(w(1), PROCESS, now)).isFalse();
    assertThat(assignment.leave(w(1), PROCESS, now)).isFalse();
    assignment.heartbeat(w(1), restarted, now);
    assertThat(assign()).isEqualTo("1>w1");
    assertThat(assignment.acknowledge("1", before, 1)).isEqualTo(Answer.STALE);
    assertThat(assignment.complete("1", before, 1).answer()).isEqualTo(Answer.STALE);
    assertThat(assignment.session("1").acknowledged()).isZero();
  }

  @Test
  void aCompletionThatDoesNotKnowTheLastEventLeavesTheSessionOpen() {
    available(1);
    events(1, 1);
    SessionNumber number = assignment.session("1").number();
    assertThat(assignment.complete("1", number, 1).answer()).isEqualTo(Answer.CONTINUES);
    assertThat(assignment.session("1").acknowledged()).isOne();
    assertThat(assignment.acknowledge("1", number, 2)).isEqualTo(Answer.DONE);
    assertThat(assignment.complete("1", number, 2).answer()).isEqualTo(Answer.DONE);
    assertThat(assignment.complete("1", number, 2).answer()).isEqualTo(Answer.UNKNOWN);
    assertThat(assignment.open()).isZero();
  }

  @Test
  void aboveTheCapOnlyEventsThatWouldOpenASessionAreRefused() {
    assignment.use(new AssignmentSettings(1, 2, Duration.ofMinutes(1), 3, Duration.ofMinutes(10)));
    events(1, 2);
    assertThat(assignment.accept("3", 1)).isNull();
    assertThat(assignment.accept("2", 1)).isNotNull();
    available(1);
    assertThat(assignment.accept("3", 1)).isNotNull();
    assertThat(assignment.unassigned()).isEqualTo(2);
  }

  @Test
  void aRetiredWorkerIsForgottenAfterAWhile() {
    available(1);
    assignment.leave(w(1), PROCESS, now);
    now += 10 * MINUTE - 1;
    assignment.look(now);
    assertThat(assignment.worker(w(1))).isNotNull();
    now += 1;
    assignment.look(now);
    assertThat(assignment.worker(w(1))).isNull();
  }
}
