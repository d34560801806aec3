package io.millrace.executor.session;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.Durations;
import io.millrace.api.Json;
import io.millrace.api.client.SessionHandler.OpenSession;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;

/**
 * One session in the hands of a process, which is started for its first event. Its process gets one
 * event at a time. Thread-safe; {@link #handle} and {@link #close} block.
 */
final class SessionProcess {
  /** From KILL to the end of a process. */
  static final Duration KILLING = Duration.ofMillis(250);

  private static final int TERMINATED = 128 + 15;

  /** An exit so soon after the last answer is the program's own. */
  private static final Duration PROMPT = Duration.ofMillis(500);

  private final SessionProcesses processes;
  private final String key;
  // All guarded by this.
  private JsonNode snapshot;
  private ChildProcess child;
  private OpenSession<SessionProcess> session;
  private boolean lost;
  private boolean asking;
  private long done;
  private long answeredAt;
  private Integer idleExit;

  /** A session of which nothing was started. */
  SessionProcess(SessionProcesses processes, String key, JsonNode snapshot) {
    this.processes = processes;
    this.key = key;
    this.snapshot = snapshot;
  }

  /**
   * Has an event handled by the process.
   *
   * @throws InterruptedException when the worker ends
   */
  void handle(OpenSession<SessionProcess> open, SessionEvent event) throws InterruptedException {
    // A process that had ended the session before does not count: it goes on with another one.
    while (!isAnswered(open, event)) {
      forget();
    }
  }

  /** Whether the event needs no other process. */
  private boolean isAnswered(OpenSession<SessionProcess> open, SessionEvent event)
      throws InterruptedException {
    ChildProcess running;
    try {
      running = running(open);
    } catch (IOException e) {
      open.giveBack();
      processes.cannotStart(e);
      return true;
    }
    if (running == null) {
      return true;
    }
    ChildProcess.Answer answer =
        running.ask(event.n(), line(open, event), processes.settings().timeout());
    if (answer.line() != null) {
      take(open, event, answer.line());
    }
    if (isOver(running, answer)) {
      return true;
    }
    forget();
    if (answer.timedOut()) {
      return fail(
          open,
          "no result of event %d within %s"
              .formatted(event.n(), Durations.format(processes.settings().timeout())));
    }
    if (answer.exitCode() == TERMINATED || processes.endsSoon()) {
      // Whoever sent the signal meant the worker and not the event.
      open.giveBack();
      return true;
    }
    if (answer.exitCode() == 0 && running.hasAnswered()) {
      return false;
    }
    return fail(
        open,
        "the process exited with %d before it answered event %d"
            .formatted(answer.exitCode(), event.n()));
  }

  /** The event has failed, and what the process has left behind may be half done. */
  private static boolean fail(OpenSession<SessionProcess> open, String reason) {
    open.fail(reason);
    open.giveBack();
    return true;
  }

  private void take(OpenSession<SessionProcess> open, SessionEvent event, SessionLine line) {
    if (!line.ok()) {
      open.fail(line.reason());
      return;
    }
    boolean snapshots = line.snapshot() != null && line.n() == event.n();
    synchronized (this) {
      done = event.n();
      answeredAt = processes.nanoTime();
      snapshot = snapshots ? line.snapshot() : snapshot;
    }
    if (snapshots) {
      open.snapshot(line.snapshot());
    }
  }

  /** Whether nothing more is to be done about the event, as it was answered or lost. */
  private boolean isOver(ChildProcess running, ChildProcess.Answer answer) {
    boolean answered = answer.line() != null;
    synchronized (this) {
      asking = false;
      if (!answered) {
        return lost;
      }
    }
    if (running.isEnded()) {
      exited(running);
    }
    return true;
  }

  /** The process, started if there is none; null if the session is given back instead. */
  private synchronized ChildProcess running(OpenSession<SessionProcess> open) throws IOException {
    if (lost) {
      return null;
    }
    Integer exit = idleExit;
    idleExit = null;
    if (exit != null && exit == TERMINATED) {
      open.giveBack();
      return null;
    }
    if (exit != null && exit != 0) {
      fail(open, "the process exited with " + exit + " before this event");
      return null;
    }
    if (child == null) {
      child = processes.start(open, firstLine(open), this::exited);
    }
    session = open;
    asking = true;
    return child;
  }

  /** A process has ended by itself, or was stopped. */
  private void exited(ChildProcess ended) {
    OpenSession<SessionProcess> completed;
    long through;
    boolean promptly;
    synchronized (this) {
      // If it has an event, whoever waits for the answer sees it.
      if (child != ended || asking || lost) {
        return;
      }
      child = null;
      idleExit = ended.exitCode();
      completed = session;
      through = idleExit == 0 ? done : 0;
      promptly = processes.nanoTime() - answeredAt < PROMPT.toNanos();
    }
    if (through > 0 && promptly) {
      completed.completeThrough(through);
    } else if (through > 0) {
      // It may have got the signal that ends the worker, and not have meant the session.
      processes.unlessEnding(() -> completed.completeThrough(through));
    }
  }

  private synchronized void forget() {
    child = null;
  }

  /**
   * The session is about to become another worker's; does not block.
   *
   * @param left until it may be: the process has ended by then
   */
  void lose(Duration left) {
    ChildProcess running;
    synchronized (this) {
      lost = true;
      running = child;
    }
    if (running != null) {
      running.stop(sooner(left));
    }
  }

  private Duration sooner(Duration lost) {
    Duration grace = processes.settings().grace();
    Duration left = lost.minus(KILLING);
    if (left.isNegative()) {
      return Duration.ZERO;
    }
    return left.compareTo(grace) < 0 ? left : grace;
  }

  /** Stops the process and waits for its end, which comes sooner if the session is lost. */
  void close() {
    ChildProcess running;
    synchronized (this) {
      lost = true;
      running = child;
    }
    if (running != null) {
      running.stop(processes.settings().grace());
      running.awaitEnd();
    }
    forget();
  }

  private byte[] firstLine(OpenSession<SessionProcess> open) {
    ObjectNode fields = Json.mapper().createObjectNode();
    ObjectNode about = fields.putObject("session");
    about.put("key", key);
    about.put("number", open.number().toString());
    about.set("snapshot", snapshot);
    return lineOf(fields);
  }

  private static byte[] line(OpenSession<SessionProcess> open, SessionEvent event) {
    ObjectNode fields = Json.mapper().valueToTree(event);
    if (open.isReplayed(event)) {
      fields.put("replayed", true);
    }
    return lineOf(fields);
  }

  private static byte[] lineOf(ObjectNode fields) {
    byte[] text = Json.writeBytes(fields);
    byte[] line = Arrays.copyOf(text, text.length + 1);
    line[text.length] = '\n';
    return line;
  }
}
