package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.PROCESS;
import static io.millrace.queuenode.session.store.SessionStoreFixture.QUEUE;
import static io.millrace.queuenode.session.store.SessionStoreFixture.result;
import static io.millrace.queuenode.session.store.SessionStoreFixture.w;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionMoment;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionState;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerCalls.RegistrationOutcome;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What workers and keys can make grow in a store of sessions. */
class SessionBoundsTest {
  @TempDir Path folder;
  private SessionStoreFixture sessions;

  @BeforeEach
  void open() {
    sessions = SessionStoreFixture.withAllSlots(folder);
  }

  @AfterEach
  void close() {
    sessions.close();
  }

  private void complete(String key) {
    sessions.put(key, "e");
    SessionDelivery delivery = sessions.poll(1, 10).sessions().get(0);
    sessions.poll(1, 10, SessionStoreFixture.result(delivery, ResultKind.COMPLETED));
  }

  private long remembered() {
    return sessions.store.figures().get(QUEUE).sessions().remembered();
  }

  /** A store that accepted half of a surrogate pair reads a question mark. */
  @Test
  void aKeyThatIsReadOtherwiseThanItWasWrittenIsForgottenInItsTime() {
    sessions.rules = sessions.rules.withRemember(Duration.ofMinutes(1));
    sessions.available(1);
    for (int i = 0; i < 3; i++) {
      complete("\ud800x" + i);
      complete("ok" + i);
    }
    assertThat(remembered()).isEqualTo(6);
    sessions.clock.advance(Duration.ofMinutes(2));
    assertThat(sessions.look().more()).isFalse();
    assertThat(remembered()).isZero();
    assertThat(sessions.store.book().queue(QUEUE).remembered().isEmpty()).isTrue();
    sessions.reopen();
    sessions.look();
    assertThat(remembered()).isZero();
  }

  @Test
  void aThousandWorkersOfAQueueAreEmployedAtATime() {
    for (int worker = 0; worker < 1_000; worker++) {
      assertThat(sessions.register(worker, PROCESS, 1)).isEqualTo(RegistrationOutcome.EMPLOYED);
    }
    assertThatThrownBy(() -> sessions.register(1_000, PROCESS, 1))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.SESSIONS_FULL))
        .hasMessageContaining("1000 workers are registered for the sessions of orders at node-1");
    assertThat(sessions.register(7, PROCESS, 1)).isEqualTo(RegistrationOutcome.REPEATED);
    assertThat(sessions.register(7, new UUID(9, 9), 1)).isEqualTo(RegistrationOutcome.REPLACED);
    sessions.store.retire(QUEUE, w(8), "by ann");
    sessions.commit();
    assertThat(sessions.register(1_000, PROCESS, 1)).isEqualTo(RegistrationOutcome.EMPLOYED);
  }

  @Test
  void ofVeryManyRetiredWorkersThoseThatWereRetiredFirstAreForgottenEarly() {
    for (int worker = 0; worker < 1_100; worker++) {
      sessions.register(worker, PROCESS, 1);
      sessions.clock.advance(Duration.ofMillis(1));
      sessions.store.retire(QUEUE, w(worker), "by ann");
      sessions.commit();
    }
    assertThat(sessions.store.workers(QUEUE)).hasSizeLessThanOrEqualTo(1_001);
    sessions.look();
    List<SessionWorkerView> listed = sessions.store.workers(QUEUE);
    assertThat(listed).hasSize(1_000);
    assertThat(listed.get(0).id()).isEqualTo(w(100));
    sessions.reopen();
    assertThat(sessions.store.workers(QUEUE)).hasSize(1_000);
  }

  @Test
  void aPositionOutsideOfAllSlotsIsTheEndOfAList() {
    sessions.put("a", "e1");
    for (String after : List.of("4294967295/0", "1000/0", Long.MAX_VALUE + "/0")) {
      assertThat(sessions.store.list(QUEUE, null, null, after, 10).sessions()).isEmpty();
    }
  }

  @Test
  void ofWhatAWorkerReportedTheOutcomesAreKeptAndNothingAfterItWasRetired() {
    sessions.available(1);
    SessionResult[] unknown =
        IntStream.range(0, 10_000)
            .mapToObj(i -> result("k" + i, new SessionNumber(1, 1), 1, ResultKind.ACKNOWLEDGED))
            .toArray(SessionResult[]::new);
    assertThat(sessions.pollAs(1, PROCESS, 7, 0, unknown).answers()).hasSize(10_000);
    assertThat(sessions.pollAs(1, PROCESS, 7, 0, unknown).answers())
        .hasSize(10_000)
        .allMatch(answer -> answer.outcome() == ResultOutcome.UNKNOWN);
    SessionWorker worker = sessions.store.book().queue(QUEUE).assignment().worker(w(1));
    assertThat(worker.lastReport().outcomes()).hasSize(10_000);
    sessions.store.retire(QUEUE, w(1), "by ann");
    sessions.commit();
    assertThat(worker.lastReport().outcomes()).isEmpty();
  }

  @Test
  void aLongReasonIsKeptAsFarAsAThousandCharactersAndListedShorter() {
    sessions.maxAttempts = 1;
    sessions.available(1);
    sessions.put("a", "e");
    SessionDelivery delivery = sessions.poll(1, 10).sessions().get(0);
    sessions.poll(
        1,
        10,
        new SessionResult(
            "a", delivery.number(), 0, ResultKind.FAILED, null, "r".repeat(1_000_000)));
    SessionDetails shown = sessions.store.show(QUEUE, "a");
    assertThat(shown.session().waitsFor()).contains("r".repeat(900)).hasSizeLessThan(1_100);
    assertThat(shown.history())
        .extracting(SessionMoment::reason)
        .allMatch(reason -> reason == null || reason.length() < 1_100);
    assertThat(sessions.store.list(QUEUE, null, null, null, 10).sessions().get(0).waitsFor())
        .hasSizeLessThan(300)
        .endsWith("its worker is to give it back first");
  }

  @Test
  void aListOfCompletedSessionsOfAWorkerReadsSomeRowsAtATime() {
    sessions.available(1, 2);
    int count = 0;
    while (count < 11_000) {
      KeyedEvent[] some = new KeyedEvent[1_000];
      for (int i = 0; i < some.length; i++, count++) {
        some[i] = SessionStoreFixture.event("k" + count, "e" + count);
      }
      sessions.put(some);
      complete(1);
      complete(2);
    }
    Set<String> found = new HashSet<>();
    String next = null;
    int pages = 0;
    do {
      SessionPage page = sessions.store.list(QUEUE, SessionState.COMPLETED, w(1), next, 100_000);
      page.sessions().forEach(one -> assertThat(found.add(one.key())).isTrue());
      next = page.next();
      pages++;
    } while (next != null);
    assertThat(pages).isEqualTo(3);
    SessionPage ofOther = sessions.store.list(QUEUE, SessionState.COMPLETED, w(9), null, 10);
    assertThat(ofOther.sessions()).isEmpty();
    assertThat(ofOther.next()).isNotNull();
    assertThat(found).hasSizeBetween(5_000, 6_000);
  }

  private void complete(int worker) {
    SessionResult[] done =
        sessions.poll(worker, 10_000).sessions().stream()
            .map(one -> SessionStoreFixture.result(one, ResultKind.COMPLETED))
            .toArray(SessionResult[]::new);
    sessions.poll(worker, 0, done);
  }

  @Test
  void theHistoryOfSessionsWithLongReasonsIsForgottenSooner() {
    SessionHistory history = new SessionHistory();
    for (int i = 0; i < 30; i++) {
      sessions.put("k" + i, "e");
      history.note(sessions.session("k" + i), 1, "PARKED", null, "r".repeat(200_000));
      history.commit();
    }
    assertThat(history.size()).isBetween(10, 20);
    assertThat(history.of(sessions.session("k29").queue(), "k0")).isEmpty();
    assertThat(history.of(sessions.session("k29").queue(), "k29")).hasSize(1);
  }
}
