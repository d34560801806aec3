package io.millrace.queuenode.session.store;

import static io.millrace.queuenode.session.store.SessionStoreFixture.delivered;
import static io.millrace.queuenode.session.store.SessionStoreFixture.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.queuenode.session.store.SessionStore.Polled;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several requests ask for the answer of one poll: whichever answer arrives, it says the same. */
class RepeatedPollsTest {
  @TempDir private Path folder;
  private SessionStoreFixture sessions;

  @BeforeEach
  void open() {
    sessions = SessionStoreFixture.withAllSlots(folder);
    sessions.available(1);
  }

  @AfterEach
  void close() {
    sessions.close();
  }

  private SessionNumber number(String key) {
    return sessions.session(key).number();
  }

  /** A request that was held up comes after its repetition was answered. */
  @Test
  void aRepetitionBringsTheSameEventsAndNoOthers() {
    sessions.put("a", "a1");
    long poll = sessions.lastPoll(1) + 1;
    assertThat(delivered(sessions.look(1, poll, 2, 10).answer())).isEqualTo("a:1");
    sessions.put("a", "a2");
    sessions.put("b", "b1");
    Polled late = sessions.look(1, poll, 1, 10);
    assertThat(delivered(late.answer())).isEqualTo("a:1");
    assertThat(late.repeats()).as("is answered at once").isTrue();
    PollAnswered next = sessions.poll(1, 10, result("a", number("a"), 1, ResultKind.ACKNOWLEDGED));
    assertThat(delivered(next)).isEqualTo("b:1 a:2");
  }

  @Test
  void aPollThatWaitsGetsNothingMoreWhenAnotherRequestHasAskedForTheSameAnswer() {
    long poll = sessions.lastPoll(1) + 1;
    assertThat(sessions.look(1, poll, 1, 10).repeats()).as("waits").isFalse();
    assertThat(sessions.look(1, poll, 2, 10).repeats()).as("nothing, at once").isTrue();
    sessions.put("a", "a1");
    Polled late = sessions.look(1, poll, 1, 10);
    assertThat(late.repeats()).isTrue();
    assertThat(late.answer().sessions()).isEmpty();
    assertThat(delivered(sessions.poll(1, 10))).isEqualTo("a:1");
  }

  @Test
  void aPollThatWaitsLooksAgain() {
    long poll = sessions.lastPoll(1) + 1;
    sessions.look(1, poll, 1, 10);
    sessions.put("a", "a1");
    assertThat(delivered(sessions.look(1, poll, 1, 10).answer())).isEqualTo("a:1");
    assertThat(delivered(sessions.look(1, poll, 2, 10).answer())).isEqualTo("a:1");
  }
}
