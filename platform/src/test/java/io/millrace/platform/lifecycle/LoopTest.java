package io.millrace.platform.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(60)
class LoopTest {

  private static final Duration FOR_EVER = Duration.ofHours(1);

  private final Semaphore runs = new Semaphore(0);
  private Loop loop = new Loop("counting", FOR_EVER, runs::release);

  @AfterEach
  void stopLoop() {
    loop.stop();
  }

  @Test
  void theFirstRunIsAtOnceOnAThreadOfTheLoopsName() throws Exception {
    AtomicReference<Thread> thread = new AtomicReference<>();
    loop =
        new Loop(
            "my-loop",
            FOR_EVER,
            () -> {
              thread.set(Thread.currentThread());
              runs.release();
            });

    loop.start();

    assertRuns(1);
    assertThat(thread.get().getName()).isEqualTo("my-loop");
    assertThat(thread.get().isDaemon()).isTrue();
  }

  @Test
  void theTaskIsRepeatedAfterEachInterval() throws Exception {
    loop = new Loop("quick", Duration.ofMillis(1), runs::release);

    loop.start();

    assertRuns(5);
  }

  @Test
  void aWakeUpRunsTheTaskWithoutWaitingForTheInterval() throws Exception {
    loop.start();
    assertRuns(1);

    loop.wake();

    assertRuns(1);
  }

  @Test
  void wakeUpsDuringOneRunCountAsOne() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    loop =
        new Loop(
            "gated",
            FOR_EVER,
            () -> {
              runs.release();
              gate.await();
            });
    loop.start();
    assertRuns(1);

    loop.wake();
    loop.wake();
    loop.wake();
    gate.countDown();

    assertRuns(1);
    assertThat(runs.tryAcquire(50, TimeUnit.MILLISECONDS)).isFalse();
  }

  @Test
  void oneStreakOfFailuresIsLoggedOnceAndItsEndOnce() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger(Loop.class);
    ListAppender<ILoggingEvent> appender = new ListAppender<>();
    appender.start();
    logger.addAppender(appender);
    AtomicInteger run = new AtomicInteger();
    loop =
        new Loop(
            "sickly",
            Duration.ofMillis(1),
            () -> {
              runs.release();
              if (run.incrementAndGet() <= 3) {
                throw new java.io.IOException("not yet");
              }
            });
    try {
      loop.start();
      assertRuns(6);
    } finally {
      loop.stop();
      logger.detachAppender(appender);
    }

    List<String> lines =
        appender.list.stream()
            .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
            .map(ILoggingEvent::getFormattedMessage)
            .toList();
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).contains("loop sickly failed");
    assertThat(lines.get(1)).isEqualTo("loop sickly recovered after 3 failed runs");
  }

  @Test
  void aFailureThatItsMessageExplainsIsOneLineWithoutAStackTrace() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger(Loop.class);
    ListAppender<ILoggingEvent> appender = new ListAppender<>();
    appender.start();
    logger.addAppender(appender);
    loop =
        new Loop(
            "lb1-report",
            Duration.ofMillis(1),
            () -> {
              runs.release();
              throw new MillraceException(ErrorCode.CONFLICT, "the name lb1 is taken");
            });
    try {
      loop.start();
      assertRuns(3);
    } finally {
      loop.stop();
      logger.detachAppender(appender);
    }

    assertThat(appender.list)
        .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
        .singleElement()
        .satisfies(
            line -> {
              assertThat(line.getFormattedMessage())
                  .isEqualTo(
                      "lb1-report failed: the name lb1 is taken; further failures are not logged until it succeeds");
              assertThat(line.getThrowableProxy()).isNull();
            });
  }

  @Test
  void evenAnErrorDoesNotEndTheLoop() throws Exception {
    loop =
        new Loop(
            "broken",
            Duration.ofMillis(1),
            () -> {
              runs.release();
              throw new AssertionError("an error");
            });

    loop.start();

    assertRuns(3);
  }

  @Test
  void stoppingInterruptsTheRunAndWaitsForItsEnd() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    loop =
        new Loop(
            "blocked",
            FOR_EVER,
            () -> {
              runs.release();
              try {
                new CountDownLatch(1).await();
              } finally {
                ended.countDown();
              }
            });
    loop.start();
    assertRuns(1);

    loop.stop();

    assertThat(ended.getCount()).isZero();
  }

  @Test
  void stoppingGivesUpOnATaskThatIgnoresItWithinTheBound() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    loop =
        new Loop(
            "deaf",
            FOR_EVER,
            Duration.ofMillis(20),
            () -> {
              runs.release();
              awaitUninterruptibly(release);
            });
    loop.start();
    assertRuns(1);

    loop.stop();

    release.countDown();
  }

  @Test
  void aTaskMayStopItsOwnLoop() throws Exception {
    AtomicReference<Loop> self = new AtomicReference<>();
    loop =
        new Loop(
            "suicidal",
            Duration.ofMillis(1),
            () -> {
              self.get().stop();
              runs.release();
            });
    self.set(loop);

    loop.start();

    assertRuns(1);
    assertThat(runs.tryAcquire(50, TimeUnit.MILLISECONDS)).isFalse();
  }

  @Test
  void aLoopIsStartedAtMostOnceAndNeverAfterItsStop() {
    loop.start();
    assertThatThrownBy(loop::start).isInstanceOf(IllegalStateException.class);

    loop.stop();
    loop.stop();

    assertThatThrownBy(loop::start).isInstanceOf(IllegalStateException.class);
  }

  @RepeatedTest(50)
  void afterRacingStartsAndStopsNothingRuns() throws Exception {
    Loop raced = new Loop("raced", Duration.ofMillis(1), runs::release);
    Thread starter = Threads.daemon("starter", () -> ignoringRefusal(raced::start));
    Thread stopper = Threads.daemon("stopper", raced::stop);
    starter.start();
    stopper.start();
    starter.join();
    stopper.join();

    int seen = runs.availablePermits();

    await()
        .during(Duration.ofMillis(5))
        .pollInterval(Duration.ofMillis(1))
        .until(() -> runs.availablePermits() == seen);
  }

  private void assertRuns(int count) throws InterruptedException {
    assertThat(runs.tryAcquire(count, 20, TimeUnit.SECONDS)).isTrue();
  }

  private static void ignoringRefusal(Runnable action) {
    try {
      action.run();
    } catch (IllegalStateException refused) {
      // The stop came first.
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException ignored) {
        // What the test wants.
      }
    }
  }
}
