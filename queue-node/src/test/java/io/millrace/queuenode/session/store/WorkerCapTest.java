package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.PROCESS;
import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.w;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerCalls.RegistrationOutcome;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process says again how many sessions it takes, as nodes come and go among which it divides. */
class WorkerCapTest {
  private static final Consumer<Throwable> UNKNOWN =
      refusal ->
          assertThat(((MillraceException) refusal).code()).isEqualTo(ErrorCode.UNKNOWN_WORKER);

  @TempDir private Path folder;
  private SessionStoreFixture sessions;

  @BeforeEach
  void open() {
    sessions = SessionStoreFixture.withAllSlots(folder.resolve("store"));
    sessions.register(1, PROCESS, 2);
    sessions.poll(1, 0);
    for (String key : List.of("a", "b", "c", "d")) {
      sessions.put(key, key + "1");
    }
    sessions.poll(1, 10);
  }

  @AfterEach
  void close() {
    sessions.close();
  }

  private RegistrationOutcome say(Integer cap) {
    return sessions.store.register(
        QUEUE, 1, w(1), new WorkerRegistration(PROCESS, cap, "w1", null), sessions.rules);
  }

  private RegistrationOutcome change(UUID process, int cap) {
    return sessions.store.register(
        QUEUE, 1, w(1), new WorkerRegistration(process, cap, "w1", null, true), sessions.rules);
  }

  private static SessionWorkerView worker(SessionStoreFixture of) {
    return of.store.workers(QUEUE).get(0);
  }

  private int has() {
    return sessions.assignment().worker(w(1)).size();
  }

  @Test
  void aHigherCapIsTakenByTheSameProcessWhichKeepsWhatItHas() {
    assertThat(has()).isEqualTo(2);
    assertThat(say(3)).isEqualTo(RegistrationOutcome.REPEATED);
    sessions.commit();
    assertThat(has()).isEqualTo(2);
    sessions.poll(1, 10);
    assertThat(has()).isEqualTo(3);
    assertThat(worker(sessions).cap()).isEqualTo(3);
  }

  @Test
  void sessionsAboveALowerCapStayAndNoneAreAdded() {
    say(1);
    sessions.commit();
    sessions.poll(1, 10);
    assertThat(has()).isEqualTo(2);
    assertThat(sessions.assignment().unassigned().size()).isEqualTo(2);
    assertThat(worker(sessions).cap()).isEqualTo(1);
  }

  @Test
  void withoutACapItTakesAsManyAsTheQueueAllows() {
    say(null);
    sessions.commit();
    sessions.poll(1, 10);
    assertThat(has()).isEqualTo(4);
  }

  @Test
  void aChangeIsForARegisteredProcess() {
    assertThat(change(PROCESS, 3)).isEqualTo(RegistrationOutcome.REPEATED);
    assertThat(worker(sessions).cap()).isEqualTo(3);
    assertThatThrownBy(() -> change(UUID.randomUUID(), 3)).as("another process").satisfies(UNKNOWN);
    assertThat(has()).isEqualTo(2);
  }

  @Test
  void aProcessThatWasRetiredIsNotEmployedByAChange() {
    sessions.store.retire(QUEUE, w(1), "by ann");
    sessions.commit();
    byte[] before = sessions.image();
    assertThatThrownBy(() -> change(PROCESS, 3)).satisfies(UNKNOWN);
    assertThat(sessions.image()).isEqualTo(before);
    assertThat(say(3)).isEqualTo(RegistrationOutcome.EMPLOYED);
  }

  @Test
  void aChangeOfAQueueThatHasNoSessionsYetLeavesNothing() {
    WorkerRegistration change = new WorkerRegistration(PROCESS, 1, "w1", null, true);
    assertThatThrownBy(() -> sessions.store.register("other", 1, w(1), change, sessions.rules))
        .satisfies(UNKNOWN);
    assertThat(sessions.store.book().queue("other")).isNull();
  }

  @Test
  void theCapOutlivesAKill() throws IOException {
    say(3);
    sessions.commit();
    try (SessionStoreFixture killed = sessions.copy(folder.resolve("killed"))) {
      assertThat(worker(killed).cap()).isEqualTo(3);
    }
  }

  @Test
  void aCapThatIsNotOnDiskIsTakenBack() {
    byte[] before = sessions.image();
    say(3);
    sessions.store.rollback();
    assertThat(worker(sessions).cap()).isEqualTo(2);
    assertThat(sessions.image()).isEqualTo(before);
    sessions.poll(1, 10);
    assertThat(has()).isEqualTo(2);
  }

  @Test
  void anAnsweredRegistrationOfTheSameProcessIsASignOfLife() {
    Duration silence = sessions.rules.silence();
    sessions.clock.advance(silence.minusSeconds(1));
    say(3);
    sessions.commit();
    sessions.clock.advance(Duration.ofSeconds(2));
    sessions.look();
    assertThat(has()).as("it was heard of two seconds ago").isPositive();
  }
}
