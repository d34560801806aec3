package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.PROCESS;
import static io.millrace.queuenode.session.store.SessionStoreFixture.delivered;
import static io.millrace.queuenode.session.store.SessionStoreFixture.event;
import static io.millrace.queuenode.session.store.SessionStoreFixture.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a store of sessions keeps over restarts. */
class LogSessionStoreTest {
  @TempDir private Path folder;
  private SessionStoreFixture sessions;

  @BeforeEach
  void open() {
    sessions = SessionStoreFixture.withAllSlots(folder.resolve("one"));
  }

  @AfterEach
  void close() {
    sessions.close();
  }

  @Test
  void aWorkerThatReturnsAfterARestartGoesOnUnderTheSameNumber() {
    sessions.available(1);
    sessions.put(event("a", "a1"), event("a", "a2"), event("b", "b1"));
    PollAnswered first = sessions.poll(1, 10);
    assertThat(delivered(first)).isEqualTo("a:1,2 b:1");
    sessions.put("a", "a3");
    sessions.reopen();

    PollAnswered again =
        sessions.poll(
            1, 10, result("a", first.sessions().get(0).number(), 1, ResultKind.ACKNOWLEDGED));
    assertThat(delivered(again)).as("all that is not acknowledged").isEqualTo("b:1 a:2,3");
    assertThat(again.sessions().get(1).number()).isEqualTo(first.sessions().get(0).number());
    assertThat(again.answers())
        .extracting(ResultAnswer::outcome)
        .containsExactly(ResultOutcome.DONE);
  }

  @Test
  void aCopyOfTheFolderOfARunningStoreHoldsAllThatWasCommitted() throws Exception {
    sessions.available(1, 2);
    sessions.put(event("a", "a1"), event("b", "b1"), event("c", "c1"), event("a", "a2"));
    PollAnswered answer = sessions.poll(1, 10);
    sessions.poll(1, 0, result(answer.sessions().get(0), ResultKind.COMPLETED));
    byte[] before = sessions.image();
    try (SessionStoreFixture copy = sessions.copy(folder.resolve("copy"))) {
      // The term has risen since.
      byte[] after = copy.image();
      after[0] = before[0];
      assertThat(after).isEqualTo(before);
      assertThat(copy.put("a", "a1")).isEqualTo("REPEATED");
      assertThat(copy.put("a", "a9")).isEqualTo("DUPLICATE");
      assertThat(copy.put("b", "b1")).isEqualTo("REPEATED");
      assertThat(copy.put("b", "b2")).isEqualTo("STORED");
    }
  }

  @Test
  void aCompletionWhoseAnswerWasLostIsConfirmedAgain() {
    sessions.available(1);
    sessions.put("a", "a1");
    PollAnswered answer = sessions.poll(1, 10);
    var completion = result(answer.sessions().get(0), ResultKind.COMPLETED);
    long number = sessions.lastPoll(1) + 1;
    PollAnswered confirmed = sessions.pollAs(1, PROCESS, number, 0, completion);
    assertThat(sessions.pollAs(1, PROCESS, number, 0, completion).answers())
        .isEqualTo(confirmed.answers());
    sessions.reopen();
    assertThat(sessions.pollAs(1, PROCESS, number, 0, completion).answers())
        .isEqualTo(confirmed.answers());
  }
}
