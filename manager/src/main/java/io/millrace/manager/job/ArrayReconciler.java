package io.millrace.manager.job;

import io.millrace.api.job.JobState;
import io.millrace.manager.job.ArrayStepPolicy.ArrayStep;
import io.millrace.manager.job.ArrayStepPolicy.Signs;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/**
 * Makes arrays follow their elements (started, ended, waiting again) and does, piece by piece, what
 * actions on large arrays have left undone; when woken and by the clock. Every step is decided anew
 * under the array's lock and is idempotent, so that any number of central managers may do it, and
 * what one of them leaves undone the next pass does. Thread-safe.
 */
public final class ArrayReconciler implements Service {
  private static final Duration INTERVAL = Duration.ofMillis(500);
  private static final int PAGE = 200;
  private static final int MOST_STEPS = 100;

  private final Database database;
  private final DatabaseTime time;
  private final JobDao jobs = new JobDao();
  private final ArrayDao arrays = new ArrayDao();
  private final ArrayElementDao elements = new ArrayElementDao();
  private final ArraySteps steps;
  private final Loop loop;

  public ArrayReconciler(Database database, ArraySteps steps, WakeUps wakeUps) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.steps = steps;
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
   * One pass over the arrays that have not ended with all their elements; blocks on the database.
   *
   * @return how many steps were done
   */
  public int run() {
    int done = 0;
    long after = 0;
    List<ArrayRow> page;
    do {
      long from = after;
      page = database.read(handle -> arrays.unsettled(handle, from, PAGE));
      if (!page.isEmpty()) {
        after = page.get(page.size() - 1).job();
        List<Long> ids = page.stream().map(ArrayRow::job).toList();
        for (Long array : database.read(handle -> needs(handle, ids, false)).keySet()) {
          done += attend(array);
        }
      }
    } while (page.size() == PAGE);
    return done;
  }

  // One transaction for each step, so that no lock is held for long.
  private int attend(long array) {
    int done = 0;
    while (done < MOST_STEPS && database.transaction(handle -> step(handle, array))) {
      done++;
    }
    return done;
  }

  private boolean step(Handle handle, long array) {
    Need need = needs(handle, List.of(array), true).get(array);
    return need != null && steps.take(handle, need.step(), need.array(), need.row(), need.now());
  }

  private record Need(ArrayStep step, JobFacts array, ArrayRow row, Instant now) {}

  /** What arrays need, by id; those that need nothing are left out. */
  private Map<Long, Need> needs(Handle handle, Collection<Long> ids, boolean locked) {
    List<JobFacts> facts = locked ? jobs.lock(handle, ids) : jobs.read(handle, ids);
    Map<Long, ArrayRow> rows = arrays.read(handle, ids);
    Map<Long, Signs> signs = signs(handle, ids);
    Instant now = time.now(handle);
    Map<Long, Need> needs = new TreeMap<>();
    for (JobFacts array : facts) {
      ArrayRow row = rows.get(array.id());
      ArrayStep step =
          row == null ? ArrayStep.NONE : ArrayStepPolicy.next(array, row, signs.get(array.id()), now);
      if (step != ArrayStep.NONE) {
        needs.put(array.id(), new Need(step, array, row, now));
      }
    }
    return needs;
  }

  private Map<Long, Signs> signs(Handle handle, Collection<Long> ids) {
    Set<Long> running = elements.having(handle, ids, Set.of(JobState.RUNNING));
    Set<Long> waiting = elements.having(handle, ids, Set.of(JobState.WAITING));
    Set<Long> blocked = elements.having(handle, ids, Set.of(JobState.BLOCKED));
    Set<Long> unasked = elements.unasked(handle, ids);
    Map<Long, Signs> signs = new HashMap<>();
    for (Long id : ids) {
      signs.put(
          id,
          new Signs(
              running.contains(id),
              waiting.contains(id),
              blocked.contains(id),
              unasked.contains(id)));
    }
    return signs;
  }
}
