package io.millrace.manager.workflow;

import io.millrace.api.job.JobAction.Verb;
import io.millrace.manager.job.JobActions.UserActionRule;
import io.millrace.manager.job.JobDao;
import io.millrace.manager.job.JobFacts;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/**
 * Keeps users from doing to the jobs of steps what would make their workflow wrong: a step that has
 * ended runs again only as part of its workflow, and an array only ends with it. A single step may
 * be cancelled. Thread-safe.
 */
final class StepJobRule implements UserActionRule {
  private final JobDao jobs = new JobDao();
  private final ReleaseDao releases = new ReleaseDao();

  @Override
  public Map<Long, String> refused(Handle handle, Verb verb, Collection<Long> ids) {
    if (verb != Verb.RETRY && verb != Verb.CANCEL) {
      return Map.of();
    }
    List<JobFacts> found = jobs.read(handle, ids);
    TreeSet<Long> wanted = new TreeSet<>();
    for (JobFacts job : found) {
      if (job.isArray() || (job.array() != null && verb == Verb.RETRY)) {
        wanted.add(arrayOf(job));
      }
    }
    Map<Long, StepArray> arrays = releases.arrays(handle, wanted);
    Map<Long, String> refused = new HashMap<>();
    for (JobFacts job : found) {
      StepArray array = arrays.get(arrayOf(job));
      if (array != null && (job.isArray() || verb == Verb.RETRY)) {
        refused.put(job.id(), refusal(verb, array.workflow()));
      }
    }
    return refused;
  }

  private static long arrayOf(JobFacts job) {
    return job.isArray() ? job.id() : job.array() == null ? 0 : job.array();
  }

  private static String refusal(Verb verb, long workflow) {
    return verb == Verb.RETRY
        ? "belongs to workflow %d: 'millrace workflow retry %d' runs its failed steps again"
            .formatted(workflow, workflow)
        : "belongs to workflow %d: use 'millrace workflow cancel %d', or cancel single elements"
            .formatted(workflow, workflow);
  }
}
