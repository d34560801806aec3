package io.millrace.cli.definition;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.WorkerDefinition;
import io.millrace.api.queue.WorkerDefinition.LingerDefinition;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.cli.definition.SampleSegment.Fates;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.platform.lifecycle.Threads;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Runs a worker that leases its events itself on this machine, as the caller, against a {@link
 * SampleSegment}: no server is called, so nothing is leased from, or acknowledged to, the live
 * queue.
 */
final class PullTrial {
  private static final List<String> INHERITED =
      List.of("PATH", "HOME", "LANG", "TZ", "USER", "TMPDIR", "MILLRACE_HOME");
  private static final File NOTHING = new File("/dev/null");
  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final Duration TO_PRINT = Duration.ofSeconds(2);

  private final Invocation invocation;

  PullTrial(Invocation invocation) {
    this.invocation = invocation;
  }

  /**
   * The report of a trial.
   *
   * @param queue of the definition
   * @param exitCode of the worker; 128 + n for signal n, 124 if it timed out
   * @param timedOut whether it was ended because of its timeout
   * @param events what became of them
   */
  record PullReport(String queue, int exitCode, boolean timedOut, Fates events) {}

  /** Blocks until the worker has ended; returns its exit code, 124 if it timed out. */
  int run(QueueDefinition queue, List<JsonNode> events) throws IOException, InterruptedException {
    WorkerDefinition worker = queue.worker();
    warn(worker);
    String token = UUID.randomUUID().toString();
    try (SampleSegment segment = new SampleSegment(queue.name(), token, queue.lease(), events)) {
      Process process = start(queue, pulling(queue, segment, token), Redirect.from(NOTHING));
      long begun = System.nanoTime();
      boolean ended = follow(process, worker, output(), () -> begun);
      return report(queue, process, ended, segment.fates());
    }
  }

  /** Prints what became of the trial; returns its exit code. */
  int report(QueueDefinition queue, Process process, boolean ended, Fates events) {
    PullReport report =
        new PullReport(
            queue.name(),
            ended ? process.exitValue() : ExitCode.TIMEOUT.whileWaiting(),
            !ended,
            events);
    print(report, queue.worker());
    return report.exitCode();
  }

  void warn(WorkerDefinition worker) {
    invocation.note("runs on this machine as you, with sample events; no server is called");
    if (worker.runAs() != null || worker.envFile() != null) {
      invocation.note("runAs and envFile apply on execution nodes only and are ignored here");
    }
    worker.secrets().keySet().stream()
        .sorted()
        .filter(name -> !invocation.environment().containsKey(name))
        .forEach(
            name ->
                invocation.note(
                    "secret %1$s is not set; set the variable %1$s to try the worker with it"
                        .formatted(name)));
  }

  /** Starts the worker with the variables that it gets from Millrace. */
  Process start(QueueDefinition queue, Map<String, String> own, Redirect input) {
    WorkerDefinition worker = queue.worker();
    ProcessBuilder builder = new ProcessBuilder(worker.command());
    builder.redirectInput(input);
    if (worker.cwd() != null) {
      builder.directory(new File(worker.cwd()));
    }
    Map<String, String> variables = builder.environment();
    variables.keySet().retainAll(INHERITED);
    worker.secrets().keySet().stream()
        .filter(invocation.environment()::containsKey)
        .forEach(name -> variables.put(name, invocation.environment().get(name)));
    variables.putAll(worker.env());
    variables.put("MILLRACE_QUEUE", queue.name());
    variables.put("MILLRACE_BATCH", Integer.toString(queue.batch()));
    variables.put("MILLRACE_PROGRESS", NOTHING.toString());
    variables.putAll(own);
    try {
      return builder.start();
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "the worker of %s cannot be started on this machine: %s"
              .formatted(queue.name(), e.getMessage()),
          e);
    }
  }

  private static Map<String, String> pulling(
      QueueDefinition queue, SampleSegment segment, String token) {
    Map<String, String> variables = new HashMap<>();
    variables.put("MILLRACE_URL", segment.address().toString());
    variables.put("MILLRACE_TOKEN", token);
    LingerDefinition linger = queue.worker().linger();
    if (linger != null) {
      variables.put("MILLRACE_LINGER_EVENTS", Integer.toString(linger.capacity(queue.batch())));
      variables.put("MILLRACE_LINGER_SECONDS", Durations.inSeconds(linger.maxTime()));
      variables.put("MILLRACE_LINGER_IDLE_SECONDS", Durations.inSeconds(linger.idle()));
    }
    return variables;
  }

  /**
   * Prints its output until it ends; false if it had to be ended.
   *
   * @param output gets what it writes to stdout
   * @param timedFrom when its timeout began, by {@link System#nanoTime}
   */
  boolean follow(
      Process process, WorkerDefinition worker, OutputStream output, LongSupplier timedFrom)
      throws InterruptedException {
    Thread out = copying("trial-stdout", process.getInputStream(), output);
    Thread err = copying("trial-stderr", process.getErrorStream(), invocation.terminal().err());
    List<ProcessHandle> tree = new ArrayList<>();
    try {
      boolean ended = endsInTime(process, worker.timeout(), timedFrom);
      if (!ended) {
        Duration grace = worker.grace() == null ? GRACE : worker.grace();
        // Asked for before the first one ends: those of an ended process cannot be found any more.
        tree.addAll(process.descendants().toList());
        tree.forEach(ProcessHandle::destroy);
        process.destroy();
        process.waitFor(grace.toMillis(), TimeUnit.MILLISECONDS);
      }
      return ended;
    } finally {
      tree.addAll(process.descendants().toList());
      tree.forEach(ProcessHandle::destroyForcibly);
      // Of an ended process it would close the output that is not read yet.
      if (process.isAlive()) {
        process.destroyForcibly();
      }
      process.waitFor();
      out.join(TO_PRINT.toMillis());
      err.join(TO_PRINT.toMillis());
    }
  }

  private static boolean endsInTime(Process process, Duration timeout, LongSupplier timedFrom)
      throws InterruptedException {
    long left = timeout.toNanos();
    while (left > 0) {
      if (process.waitFor(left, TimeUnit.NANOSECONDS)) {
        return true;
      }
      left = timeout.toNanos() - (System.nanoTime() - timedFrom.getAsLong());
    }
    return false;
  }

  /** Where the worker's stdout goes: with --json the terminal's has the report only. */
  OutputStream output() {
    return invocation.json() ? invocation.terminal().err() : invocation.terminal().out();
  }

  private static Thread copying(String name, InputStream from, OutputStream to) {
    Thread thread =
        Threads.daemon(
            name,
            () -> {
              try (from) {
                from.transferTo(to);
                to.flush();
              } catch (IOException ended) {
                // Its pipe is closed when the worker is ended; what it printed before is shown.
                return;
              }
            });
    thread.start();
    return thread;
  }

  private void print(PullReport report, WorkerDefinition worker) {
    if (invocation.json()) {
      invocation.terminal().json(report);
      return;
    }
    invocation.note(
        report.timedOut()
            ? "worker timed out after " + Durations.format(worker.timeout())
            : "worker ended with exit code " + report.exitCode());
    Fates events = report.events();
    invocation.note(
        "events: %d acknowledged, %d refused, %d leased and not answered, %d not taken"
            .formatted(
                events.acknowledged(), events.refused(), events.unanswered(), events.notTaken()));
    if (events.unanswered() > 0) {
      invocation.note(
          worker.input() == WorkerInput.STREAM
              ? "unanswered events would be redelivered"
              : "unanswered events would be redelivered when their lease expires");
    }
  }
}
