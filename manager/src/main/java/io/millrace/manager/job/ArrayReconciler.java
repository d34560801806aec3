package io.millrace.manager.job;

import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.ArrayRow.PendingRetry;
import io.millrace.manager.job.ArrayStepPolicy.ArrayStep;
import io.millrace.manager.job.ArrayStepPolicy.ElementStates;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/**
 * Makes arrays follow their elements (started, ended, waiting again) and completes, piece by piece,
 * actions on large arrays; when woken and periodically. Every step is decided again under the
 * array's lock and is idempotent, so that any number of central managers may run this, and what one
 * of them leaves unfinished is done in the next pass. Thread-safe.
 */
public final class ArrayReconciler implements Service {
  private static final Duration INTERVAL = Duration.ofMillis(500);
  private static final int PAGE = 200;
  private static final int MAX_STEPS = 100;

  private final Database database;
  private final DatabaseTime time;
  private final JobDao jobs = new JobDao();
  private final ArrayDao arrays = new ArrayDao();
  private final ArrayJobDao arrayJobs = new ArrayJobDao();
  private final HistoryDao history = new HistoryDao();
  private final ArrayElements elements = new ArrayElements();
  private final JobActions actions;
  private final ArrayCompletion completion;
  private final WakeUps wakeUps;
  private final Loop loop;

  ArrayReconciler(
      Database database, JobActions actions, ArrayCompletion completion, WakeUps wakeUps) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.actions = actions;
    this.completion = completion;
    this.wakeUps = wakeUps;
    this.loop = new Loop("arrays", INTERVAL, this::run);
    wakeUps.whenReady(loop::wake);
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  /**
   * One pass over the arrays that are not finished; blocks on the database.
   *
   * @return how many steps were taken
   */
  public int run() {
    int done = 0;
    long after = 0;
    List<ArrayRow> page;
    do {
      long from = after;
      page = database.read(handle -> arrays.unfinished(handle, from, PAGE));
      if (!page.isEmpty()) {
        after = page.get(page.size() - 1).job();
        List<Long> ids = page.stream().map(ArrayRow::job).toList();
        for (Long array : database.read(handle -> nextSteps(handle, ids, false)).keySet()) {
          done += reconcile(array);
        }
      }
    } while (page.size() == PAGE);
    return done;
  }

  // One transaction for each step, so that no lock is held for long.
  private int reconcile(long array) {
    int done = 0;
    while (done < MAX_STEPS && database.transaction(handle -> step(handle, array))) {
      done++;
    }
    return done;
  }

  private boolean step(Handle handle, long array) {
    NextStep next = nextSteps(handle, List.of(array), true).get(array);
    return next != null && take(handle, next.step(), next.array(), next.row(), next.now());
  }

  private record NextStep(ArrayStep step, JobFacts array, ArrayRow row, Instant now) {}

  /** The next steps by array; arrays that need none are left out. */
  private Map<Long, NextStep> nextSteps(Handle handle, Collection<Long> ids, boolean locked) {
    List<JobFacts> facts = locked ? jobs.lock(handle, ids) : jobs.read(handle, ids);
    Map<Long, ArrayRow> rows = arrays.read(handle, ids);
    Map<Long, ElementStates> states = elementStates(handle, ids);
    Instant now = time.now(handle);
    Map<Long, NextStep> steps = new TreeMap<>();
    for (JobFacts array : facts) {
      ArrayRow row = rows.get(array.id());
      ArrayStep step =
          row == null
              ? ArrayStep.NONE
              : ArrayStepPolicy.next(array, row, states.get(array.id()), now);
      if (step != ArrayStep.NONE) {
        steps.put(array.id(), new NextStep(step, array, row, now));
      }
    }
    return steps;
  }

  private Map<Long, ElementStates> elementStates(Handle handle, Collection<Long> ids) {
    Set<Long> running = arrayJobs.having(handle, ids, Set.of(JobState.RUNNING));
    Set<Long> waiting = arrayJobs.having(handle, ids, Set.of(JobState.WAITING));
    Set<Long> blocked = arrayJobs.having(handle, ids, Set.of(JobState.BLOCKED));
    Set<Long> uncancelled = arrayJobs.havingUncancelled(handle, ids);
    Map<Long, ElementStates> states = new HashMap<>();
    for (Long id : ids) {
      states.put(
          id,
          new ElementStates(
              running.contains(id),
              waiting.contains(id),
              blocked.contains(id),
              uncancelled.contains(id)));
    }
    return states;
  }

  /** Takes a step under the lock of the array's own job; returns whether anything changed. */
  private boolean take(Handle handle, ArrayStep step, JobFacts array, ArrayRow row, Instant now) {
    long id = array.id();
    return switch (step) {
      case NONE -> false;
      case FINISH, END -> {
        completion.endExhausted(handle, List.of(id), now);
        yield true;
      }
      case REVIVE -> revive(handle, array, row, now);
      case EXPIRE -> expire(handle, array, now);
      case START -> {
        arrayJobs.start(handle, array, now);
        record(handle, array, JobState.RUNNING, "its first element has started", now);
        yield true;
      }
      case CANCEL_ELEMENTS ->
          elements.cancel(handle, actions, id, request(Verb.CANCEL, array, array.cancelReason()))
              > 0;
      case WITHDRAW -> elements.withdraw(handle, id, now) > 0;
      case RETRY_ELEMENTS -> retryElements(handle, array, row);
      case EXPAND -> {
        arrays.markExpandable(handle, List.of(id));
        wakeUps.ready(handle);
        yield true;
      }
    };
  }

  private boolean revive(Handle handle, JobFacts array, ArrayRow row, Instant now) {
    arrayJobs.revive(handle, array);
    // Elements that a cancelled array never created are created only by a retry of the array.
    arrays.revived(handle, array.id(), row.skipped() > 0 ? JobState.CANCELLED : null);
    record(handle, array, JobState.WAITING, "one of its elements is retried", now);
    wakeUps.ready(handle);
    return true;
  }

  // Its elements have the same deadline; those that were never created end with it.
  private boolean expire(Handle handle, JobFacts array, Instant now) {
    String reason = "its deadline has passed";
    arrayJobs.requestEnd(handle, array, reason);
    record(handle, array, array.state(), reason, now);
    elements.cancel(handle, actions, array.id(), request(Verb.CANCEL, array, reason));
    arrays.stop(handle, array.id(), JobState.FAILED);
    return true;
  }

  private boolean retryElements(Handle handle, JobFacts array, ArrayRow row) {
    PendingRetry retry = row.retry();
    List<Long> next = new ArrayList<>(ended(handle, array, retry, JobState.FAILED));
    if (retry.includesCancelled()) {
      next.addAll(ended(handle, array, retry, JobState.CANCELLED));
    }
    Collections.sort(next);
    boolean last = next.size() < ArrayElements.MAX;
    List<Long> piece = last ? next : next.subList(0, ArrayElements.MAX);
    if (!piece.isEmpty()) {
      actions.apply(handle, piece, request(Verb.RETRY, array, null));
    }
    arrays.retried(
        handle,
        array.id(),
        last
            ? null
            : new PendingRetry(
                piece.get(piece.size() - 1), retry.upTo(), retry.includesCancelled()));
    wakeUps.ready(handle);
    return true;
  }

  private List<Long> ended(Handle handle, JobFacts array, PendingRetry retry, JobState state) {
    return arrayJobs.inState(
        handle, array.id(), state, retry.after(), retry.upTo(), ArrayElements.MAX);
  }

  private static ActionRequest request(Verb verb, JobFacts array, String reason) {
    return new ActionRequest(verb, null, "its array, job " + array.id(), reason);
  }

  private void record(Handle handle, JobFacts array, JobState state, String event, Instant now) {
    history.write(handle, List.of(new Line(array.id(), state, 0, event)), now);
    wakeUps.jobChanged(handle, array.id());
  }
}
