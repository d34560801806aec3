package io.millrace.manager.pacing;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Batches the requests that many threads make at about the same time into one call. The first
 * becomes the caller: it waits for others for a moment, then makes the call for all. It needs no
 * thread of its own, and each requester can be stopped separately. Thread-safe.
 *
 * @param <K> what is asked
 * @param <V> what is answered
 */
final class RequestBatcher<K, V> {
  /**
   * The answer to one of them.
   *
   * @param value null if refused
   * @param refusal null if answered
   */
  record Answer<V>(V value, MillraceException refusal) {
    static <V> Answer<V> of(V value) {
      return new Answer<>(value, null);
    }
  }

  /** Asks for all of them in one call; the answers keep the order. */
  interface BatchedCall<K, V> {
    List<Answer<V>> ask(List<K> all);
  }

  private record Asked<K, V>(K what, CompletableFuture<Answer<V>> answer) {}

  // Guarded by this.
  private List<Asked<K, V>> open = new ArrayList<>();

  /**
   * Asks together with others.
   *
   * @param window how long the first waits for others
   * @param call used by the first
   * @throws MillraceException the refusal, or the failure of the call
   * @throws InterruptedException when this thread is stopped meanwhile
   */
  V ask(K what, Duration window, BatchedCall<K, V> call) throws InterruptedException {
    Asked<K, V> asked = new Asked<>(what, new CompletableFuture<>());
    boolean first;
    synchronized (this) {
      first = open.isEmpty();
      open.add(asked);
    }
    if (first) {
      call(window, call);
    }
    try {
      Answer<V> answer = asked.answer.get();
      if (answer.refusal != null) {
        throw answer.refusal;
      }
      return answer.value;
    } catch (ExecutionException e) {
      throw new IllegalStateException("answers are never exceptional", e);
    }
  }

  private void call(Duration window, BatchedCall<K, V> call) throws InterruptedException {
    List<Asked<K, V>> all = List.of();
    MillraceException failure =
        new MillraceException(
            ErrorCode.UNAVAILABLE,
            "the thread that made the batched request was stopped; try again");
    List<Answer<V>> answers = List.of();
    try {
      new Waiter().await(window);
      all = close();
      answers = call.ask(all.stream().map(Asked::what).toList());
    } catch (MillraceException e) {
      failure = e;
    } finally {
      // Also when this thread was stopped while others wait for it.
      all = all.isEmpty() ? close() : all;
      boolean complete = answers.size() == all.size();
      for (int i = 0; i < all.size(); i++) {
        all.get(i).answer.complete(complete ? answers.get(i) : new Answer<>(null, failure));
      }
    }
  }

  private synchronized List<Asked<K, V>> close() {
    List<Asked<K, V>> closed = open;
    open = new ArrayList<>();
    return closed;
  }
}
