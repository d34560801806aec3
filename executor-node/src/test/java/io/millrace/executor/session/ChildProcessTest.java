package io.millrace.executor.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.executor.session.ChildProcess.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A time limit ends the process only while the event that it limits is waited for. */
@Timeout(60)
class ChildProcessTest {
  private static final Duration LIMIT = Duration.ofHours(1);
  private static final String ANSWERS =
      "n=0; while read -r event; do n=$((n + 1)); echo \"{\\\"n\\\":$n,\\\"ok\\\":true}\"; done";

  private final BlockingQueue<Runnable> limits = new LinkedBlockingQueue<>();
  // What it schedules runs when the test says, also after it was cancelled: as if it had begun.
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1) {
        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
          limits.add(task);
          return super.schedule(() -> {}, delay, unit);
        }
      };
  private Process process;
  private ChildProcess child;

  private void start(String script) throws IOException {
    process = new ProcessBuilder("/bin/sh", "-c", script).start();
    child =
        new ChildProcess(
            process, "a", new byte[0], Duration.ofHours(1), timer, text -> {}, ended -> {});
    child.begin();
  }

  @AfterEach
  void end() {
    process.destroyForcibly();
    timer.shutdownNow();
  }

  private Answer ask(long n) throws InterruptedException {
    return child.ask(n, "event\n".getBytes(StandardCharsets.UTF_8), LIMIT);
  }

  @Test
  void aTimeLimitThatComesWithTheAnswerDoesNotEndTheProcess() throws Exception {
    start(ANSWERS);
    assertThat(ask(1).line().ok()).isTrue();
    limits.take().run();
    Answer next = ask(2);
    assertThat(next.line()).isNotNull();
    assertThat(next.timedOut()).isFalse();
  }

  @Test
  void aTimeLimitDoesNotEndTheNextAttemptOfItsEvent() throws Exception {
    start("read -r event; echo '{\"n\":1,\"ok\":false}'; read -r event; read -r more; " + ANSWERS);
    assertThat(ask(1).line().ok()).isFalse();
    Runnable earlier = limits.take();
    CompletableFuture<Answer> again = CompletableFuture.supplyAsync(() -> answerOf(1));
    limits.take();
    earlier.run();
    process.getOutputStream().write("more\nevent\n".getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
    assertThat(again.get(20, TimeUnit.SECONDS).line()).isNotNull();
  }

  private Answer answerOf(long n) {
    try {
      return ask(n);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anAnswerThatComesWithTheTimeLimitIsNoneIfTheLimitWasFirst() throws Exception {
    start(ANSWERS);
    CompletableFuture<Answer> answer = CompletableFuture.supplyAsync(() -> answerOf(1));
    Runnable limit = limits.take();
    synchronized (child) {
      // It has read the answer, and cannot note it yet.
      while (!isBlocked("session-out-a")) {
        Thread.onSpinWait();
      }
      limit.run();
    }
    assertThat(answer.get(20, TimeUnit.SECONDS).line()).isNull();
    assertThat(answer.get().timedOut()).isTrue();
  }

  private static boolean isBlocked(String thread) {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(one -> one.getName().equals(thread) && one.getState() == Thread.State.BLOCKED);
  }
}
