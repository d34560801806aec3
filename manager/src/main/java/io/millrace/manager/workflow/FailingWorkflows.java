package io.millrace.manager.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.nio.channels.ClosedByInterruptException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a workflow whose handling fails from stopping that of the others (J-15): the failure is
 * logged, once for each problem, and the workflow is tried again some runs of the duty later. Used
 * by the duty's thread.
 */
final class FailingWorkflows {
  /** The most runs after which a workflow is tried again. */
  static final int MOST_RUNS = 16;

  private static final int MAX = 1000;
  private static final int KEPT_RUNS = 1000;
  private static final Logger LOGGER = LoggerFactory.getLogger(FailingWorkflows.class);

  private final String duty;
  private final Map<Long, Failure> failures = new LinkedHashMap<>();
  private long run;
  private boolean full;

  /**
   * The last failure of a workflow.
   *
   * @param pause runs until it is tried again
   * @param due the run in which it is
   */
  private record Failure(String problem, int pause, long due) {}

  /**
   * @param duty what fails, for the log
   */
  FailingWorkflows(String duty) {
    this.duty = duty;
  }

  /** Begins a run of the duty. */
  void nextRun() {
    run++;
    failures.values().removeIf(failure -> failure.due() + KEPT_RUNS < run);
    full = full && failures.size() == MAX;
  }

  /** Those that are not tried in this run, or not again. */
  Set<Long> postponed() {
    Set<Long> postponed = new TreeSet<>();
    failures.forEach(
        (workflow, failure) -> {
          if (failure.due() > run) {
            postponed.add(workflow);
          }
        });
    return postponed;
  }

  /**
   * Does something for a workflow; returns what that does, or false if it is postponed or fails.
   * Passed on is what concerns all workflows: an interrupt, and a database without connections.
   */
  boolean attempt(long workflow, BooleanSupplier work) {
    Failure last = failures.get(workflow);
    if (last != null && last.due() > run) {
      return false;
    }
    try {
      return work.getAsBoolean();
    } catch (RuntimeException failure) {
      if (concernsAll(failure)) {
        throw failure;
      }
      record(workflow, last, failure);
      return false;
    }
  }

  private static boolean concernsAll(RuntimeException failure) {
    if (Thread.currentThread().isInterrupted()
        || (failure instanceof MillraceException own && own.code() == ErrorCode.UNAVAILABLE)) {
      return true;
    }
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof InterruptedException || cause instanceof ClosedByInterruptException) {
        return true;
      }
    }
    return false;
  }

  private void record(long workflow, Failure last, RuntimeException failure) {
    if (last == null && failures.size() == MAX) {
      if (!full) {
        full = true;
        LOGGER.warn("{}: more than {} workflows fail; the others are not logged", duty, MAX);
      }
      return;
    }
    String problem = failure.toString();
    boolean again = last != null && run - last.due() <= MOST_RUNS;
    int pause = again ? Math.min(MOST_RUNS, 2 * last.pause()) : 1;
    failures.put(workflow, new Failure(problem, pause, run + pause));
    if (last == null || !last.problem().equals(problem)) {
      LOGGER.warn(
          "{}: workflow {} fails and is tried again later; the others go on",
          duty,
          workflow,
          failure);
    }
  }
}
