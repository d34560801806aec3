package io.millrace.platform.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class WaiterTest {

  private static final Duration FOR_EVER = Duration.ofHours(1);

  private final Waiter waiter = new Waiter();

  @Test
  void aWakeUpThatComesBeforeTheWaitIsNotLost() throws InterruptedException {
    waiter.wake();

    assertThat(waiter.await(FOR_EVER)).isTrue();
  }

  @Test
  void severalWakeUpsCountAsOne() throws InterruptedException {
    waiter.wake();
    waiter.wake();

    assertThat(waiter.await(FOR_EVER)).isTrue();
    assertThat(waiter.await(Duration.ofMillis(1))).isFalse();
  }

  @Test
  void aWaitOfNoTimeOnlyLooks() throws InterruptedException {
    assertThat(waiter.await(Duration.ZERO)).isFalse();
    assertThat(waiter.await(Duration.ofSeconds(-1))).isFalse();
  }

  @Test
  void aWakeUpEndsTheWaitOfAnotherThread() throws Exception {
    CompletableFuture<Boolean> woken = new CompletableFuture<>();
    Thread sleeper =
        Threads.daemon(
            "sleeper",
            () -> {
              try {
                woken.complete(waiter.await(FOR_EVER));
              } catch (InterruptedException interrupted) {
                woken.completeExceptionally(interrupted);
              }
            });
    sleeper.start();

    waiter.wake();

    assertThat(woken.get(20, TimeUnit.SECONDS)).isTrue();
  }
}
