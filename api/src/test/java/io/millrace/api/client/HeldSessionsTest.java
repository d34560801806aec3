package io.millrace.api.client;

import static io.millrace.api.client.FakeSessionNode.DEADLINE;
import static io.millrace.api.client.FakeSessionNode.event;
import static io.millrace.api.client.FakeSessionNode.session;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HeldSessionsTest {
  private final AtomicLong now = new AtomicLong();
  private final KeyedThreads one = new KeyedThreads("held-sessions-test", 1);
  private final Queue<String> begun = new ConcurrentLinkedQueue<>();
  private final CountDownLatch atFirst = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final HeldSessions<String> held =
      new HeldSessions<>(new Handler(), one, now::get, 100, 0);
  private long polls;

  private final class Handler implements SessionHandler<String> {
    @Override
    public String open(String key, JsonNode snapshot) {
      return key;
    }

    @Override
    public void onEvent(OpenSession<String> session, SessionEvent event)
        throws InterruptedException {
      begun.add(session.key());
      atFirst.countDown();
      goOn.await();
    }
  }

  /** A poll that begins and is answered now. */
  private void polled(SessionDelivery... sessions) {
    if (polls == 0) {
      held.begin(now.get(), DEADLINE.toNanos());
    }
    polls++;
    held.answered(
        new PollAnswered(polls, null, List.of(sessions), null, false, DEADLINE, DEADLINE),
        now.get(),
        List.of());
  }

  private void awaitThreads() throws InterruptedException {
    CountDownLatch reached = new CountDownLatch(1);
    one.add("last", reached::countDown);
    reached.await();
  }

  @Test
  void whatWaitedForAThreadIsNotBegunAfterTheDeadlineUntilAnotherCallIsAnswered()
      throws InterruptedException {
    polled(session("a", "1.1", event(1)), session("b", "1.1", event(1)));
    atFirst.await();
    now.addAndGet(DEADLINE.toNanos());
    goOn.countDown();
    awaitThreads();
    assertThat(begun).as("only the event that was in work").containsExactly("a");
    polled();
    awaitThreads();
    assertThat(begun).containsExactly("a", "b");
  }
}
