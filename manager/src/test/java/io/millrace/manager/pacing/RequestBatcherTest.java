package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.manager.pacing.RequestBatcher.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequestBatcherTest {
  private static final Duration WINDOW = Duration.ofMillis(300);
  private static final int MANY = 40;

  private final RequestBatcher<Integer, String> batcher = new RequestBatcher<>();
  private final List<List<Integer>> calls = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void concurrentRequestsAreCombinedIntoFewerCallsAndEachGetsItsAnswer() throws Exception {
    CountDownLatch start = new CountDownLatch(1);
    List<Future<String>> answers = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      int number = i;
      answers.add(
          threads.submit(
              () -> {
                start.await();
                return batcher.ask(number, WINDOW, this::answer);
              }));
    }
    start.countDown();

    for (int i = 0; i < MANY; i++) {
      assertThat(answers.get(i).get()).isEqualTo("answer " + i);
    }
    assertThat(calls).hasSizeLessThan(MANY / 4);
    assertThat(calls.stream().mapToInt(List::size).sum()).isEqualTo(MANY);
  }

  @Test
  void aRefusalAffectsOnlyItsRequester() throws Exception {
    assertThatThrownBy(
            () ->
                batcher.ask(
                    1,
                    Duration.ZERO,
                    all ->
                        List.of(
                            new Answer<>(
                                null,
                                new MillraceException(ErrorCode.STALE_ATTEMPT, "not current")))))
        .hasMessage("not current");
    assertThat(batcher.ask(2, Duration.ZERO, this::answer)).isEqualTo("answer 2");
  }

  @Test
  void aFailedCallFailsAllItsRequestersAndNoneHangs() {
    Future<String> other = threads.submit(() -> batcher.ask(1, WINDOW, all -> fail()));
    Future<String> another = threads.submit(() -> batcher.ask(2, WINDOW, all -> fail()));

    assertThatThrownBy(other::get).hasRootCauseMessage("nobody there");
    assertThatThrownBy(another::get).hasRootCauseMessage("nobody there");
  }

  @Test
  void aRequesterThatIsStoppedDuringTheCallLeavesNoneWaiting() throws Exception {
    CountDownLatch asking = new CountDownLatch(1);
    Future<String> first =
        threads.submit(
            () -> {
              asking.countDown();
              return batcher.ask(1, Duration.ofMinutes(5), this::answer);
            });
    asking.await();
    ThreadedAsk second = new ThreadedAsk();
    Future<String> follower = threads.submit(second::ask);
    second.entered.await();
    first.cancel(true);

    // Either it was among those of the stopped one, or it became the first itself.
    assertThat(wordsOf(follower)).matches("answer 2|.*try again");
  }

  private static String wordsOf(Future<String> answer) throws InterruptedException {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      return e.getCause().getMessage();
    }
  }

  private final class ThreadedAsk {
    private final CountDownLatch entered = new CountDownLatch(1);

    String ask() throws InterruptedException {
      entered.countDown();
      return batcher.ask(2, Duration.ZERO, RequestBatcherTest.this::answer);
    }
  }

  private List<Answer<String>> answer(List<Integer> all) {
    calls.add(all);
    return all.stream().map(one -> Answer.of("answer " + one)).toList();
  }

  private static List<Answer<String>> fail() {
    throw new MillraceException(ErrorCode.UNREACHABLE, "nobody there");
  }
}
