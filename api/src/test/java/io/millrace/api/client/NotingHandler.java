package io.millrace.api.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A handler whose state is the key, and that notes what it was called for. Thread-safe. */
class NotingHandler implements SessionHandler<String> {
  private final List<String> lines = new ArrayList<>();

  synchronized void note(String line) {
    lines.add(line);
    notifyAll();
  }

  synchronized List<String> lines() {
    return List.copyOf(lines);
  }

  /** Waits until there is a line that begins so. */
  synchronized void await(String beginning) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (lines.stream().noneMatch(line -> line.startsWith(beginning))) {
      if (System.nanoTime() > end) {
        throw new AssertionError(beginning + " is not in " + lines);
      }
      wait(100);
    }
  }

  @Override
  public String open(String key, JsonNode snapshot) {
    return key;
  }

  @Override
  public void onEvent(OpenSession<String> session, SessionEvent event) throws Exception {
    note(session.key() + " " + event.n());
  }

  @Override
  public void onLost(String key, Duration left) {
    note("lost " + key + " in " + left.toSeconds() + "s");
  }

  @Override
  public void onClose(String key) {
    note("close " + key);
  }

  @Override
  public void onProblem(String node, MillraceException problem) {
    note("problem " + problem.getMessage());
  }
}
