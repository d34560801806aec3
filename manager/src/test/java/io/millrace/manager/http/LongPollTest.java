package io.millrace.manager.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.platform.clock.SystemClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LongPollTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  private final LongPoll longPoll = new LongPoll(new SystemClock());
  private final AtomicInteger value = new AtomicInteger();

  @AfterEach
  void stop() {
    longPoll.stop();
  }

  @Test
  void anExistingResultIsAnsweredImmediately() {
    value.set(1);
    assertThat(poll(LONG)).isCompletedWithValue(1);
  }

  @Test
  void withoutATimeoutTheAnswerIsImmediate() {
    assertThat(poll(Duration.ZERO)).isCompletedWithValue(0);
  }

  @Test
  void aChangeWithoutAWakeUpIsFoundByTheNextPoll() throws Exception {
    CompletableFuture<Integer> answer = poll(LONG);
    assertThat(answer).isNotDone();
    value.set(1);
    assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo(1);
  }

  @Test
  void stoppingAnswersAllWaitingRequests() throws Exception {
    CompletableFuture<Integer> answer = poll(LONG);
    longPoll.stop();
    assertThat(answer.get(30, TimeUnit.SECONDS)).isZero();
    assertThat(poll(LONG)).isCompletedWithValue(0);
  }

  @Test
  void aFailedPollFailsTheAnswer() {
    CompletableFuture<Integer> answer =
        longPoll.until(
            CompletableFuture::new,
            () -> {
              throw new IllegalStateException("no database");
            },
            seen -> true,
            LONG);
    assertThatThrownBy(answer::join).hasRootCauseMessage("no database");
  }

  private CompletableFuture<Integer> poll(Duration timeout) {
    return longPoll.until(CompletableFuture::new, value::get, seen -> seen > 0, timeout);
  }
}
