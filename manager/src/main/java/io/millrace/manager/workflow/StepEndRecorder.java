package io.millrace.manager.workflow;

import io.millrace.api.job.JobState;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.job.JobFacts;
import io.millrace.manager.job.JobWatcher;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/**
 * Records, in the transaction in which jobs end, which steps of workflows have ended (J-15): one
 * row for each array and state, however many steps. Thread-safe.
 */
public final class StepEndRecorder implements JobWatcher {
  private final ReleaseDao releases = new ReleaseDao();
  private final StepDao steps = new StepDao();
  private final WakeUps wakeUps;

  public StepEndRecorder(WakeUps wakeUps) {
    this.wakeUps = wakeUps;
  }

  private record ArrayState(long array, JobState state) {}

  @Override
  public void outputsReported(Handle handle, Map<JobFacts, Map<String, String>> outputs) {
    Map<Long, StepArray> arrays =
        releases.arrays(handle, outputs.keySet().stream().map(JobFacts::array).toList());
    outputs.forEach(
        (job, values) -> {
          StepArray array = arrays.get(job.array());
          if (array != null) {
            steps.writeOutputs(handle, array.workflow(), (int) (long) job.index(), values);
          }
        });
  }

  @Override
  public void jobsEnded(Handle handle, List<EndedJob> ends, Instant now) {
    Collection<Long> ids = new TreeSet<>();
    for (EndedJob end : ends) {
      if (end.job().array() != null) {
        ids.add(end.job().array());
      }
    }
    Map<Long, StepArray> arrays = releases.arrays(handle, ids);
    if (arrays.isEmpty()) {
      return;
    }
    Map<ArrayState, List<Integer>> steps = new LinkedHashMap<>();
    for (EndedJob end : ends) {
      if (end.job().array() != null && arrays.containsKey(end.job().array())) {
        steps
            .computeIfAbsent(
                new ArrayState(end.job().array(), end.state()), one -> new ArrayList<>())
            .add((int) (long) end.job().index());
      }
    }
    steps.forEach(
        (key, numbers) -> {
          int[] sorted = numbers.stream().mapToInt(Integer::intValue).toArray();
          Arrays.sort(sorted);
          releases.insertEnds(
              handle,
              arrays.get(key.array()),
              key.state(),
              StepNumbers.pack(sorted, sorted.length));
        });
    arrays.values().stream()
        .map(StepArray::workflow)
        .distinct()
        .forEach(workflow -> wakeUps.workflowChanged(handle, workflow));
  }
}
