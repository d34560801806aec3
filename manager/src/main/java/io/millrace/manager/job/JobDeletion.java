package io.millrace.manager.job;

import io.millrace.api.MessageText;
import io.millrace.manager.job.JobActions.ActionResult;
import io.millrace.platform.database.Database;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * Deletes ended jobs before their retention ends, an array together with all its elements, in
 * transactions of at most some hundred jobs. An interrupted deletion of an array is completed by
 * repeating it. Thread-safe; blocks on the database.
 */
final class JobDeletion {
  private static final int CHUNK = 500;

  private final Database database;
  private final JobDao jobs = new JobDao();
  private final EndedElements endedElements = new EndedElements();
  private final JobRetentionDao retention = new JobRetentionDao();

  JobDeletion(Database database) {
    this.database = database;
  }

  /** Which of these jobs can be deleted, and why the others cannot. */
  ActionResult preview(List<Long> ids) {
    return database.read(handle -> judge(handle, ids));
  }

  /** Deletes those of these jobs that can be deleted; at most some hundred ids. */
  ActionResult delete(List<Long> ids) {
    ActionResult judged = database.read(handle -> judge(handle, ids));
    Set<Long> arrays = database.read(handle -> arrays(handle, judged.changed()));
    arrays.forEach(this::deleteArray);
    List<Long> single = judged.changed().stream().filter(id -> !arrays.contains(id)).toList();
    database.transaction(handle -> retention.delete(handle, notOfOpenRuns(handle, single)));
    Set<Long> left = database.read(handle -> existing(handle, judged.changed()));
    ActionResult done = new ActionResult();
    judged.refused().forEach(done::refused);
    for (Long id : judged.changed()) {
      if (left.contains(id)) {
        done.refused(id, "was retried meanwhile");
      } else {
        done.changed(id);
      }
    }
    return done;
  }

  /** A run may have been retried since the jobs were judged. */
  private static List<Long> notOfOpenRuns(Handle handle, List<Long> ids) {
    if (ids.isEmpty()) {
      return ids;
    }
    Set<Long> counted = JobDeletionDao.ofOpenRuns(handle, ids);
    return ids.stream().filter(id -> !counted.contains(id)).toList();
  }

  /** Its elements first, so that an interrupted deletion can be repeated. */
  private void deleteArray(long id) {
    boolean more = true;
    while (more) {
      more = database.transaction(handle -> deleteSome(handle, id));
    }
  }

  private boolean deleteSome(Handle handle, long id) {
    List<Long> elements = JobDeletionDao.elements(handle, id, CHUNK);
    List<Long> all = new ArrayList<>(elements);
    all.add(id);
    // Lanes before jobs, as everywhere: a retry that holds the array's lane waits for the array.
    retention.lockLanes(handle, all);
    // A retry locks the array too: it waits for this transaction, and ends the deletion after it.
    jobs.lock(handle, id);
    if (!JobDeletionDao.arrayIsOver(handle, id)) {
      return false;
    }
    if (retention.deleteEndedElements(handle, id, CHUNK).rows() == CHUNK) {
      return true;
    }
    if (elements.isEmpty()) {
      retention.delete(handle, List.of(id));
      return false;
    }
    return retention.delete(handle, elements) > 0;
  }

  private Set<Long> existing(Handle handle, Collection<Long> ids) {
    return ids.isEmpty()
        ? Set.of()
        : jobs.read(handle, ids).stream().map(JobFacts::id).collect(Collectors.toSet());
  }

  private Set<Long> arrays(Handle handle, Collection<Long> ids) {
    if (ids.isEmpty()) {
      return Set.of();
    }
    return jobs.read(handle, ids).stream()
        .filter(JobFacts::isArray)
        .map(JobFacts::id)
        .collect(Collectors.toSet());
  }

  private ActionResult judge(Handle handle, List<Long> ids) {
    Map<Long, JobFacts> facts = new HashMap<>();
    jobs.read(handle, ids).forEach(job -> facts.put(job.id(), job));
    List<Long> missing = ids.stream().filter(id -> !facts.containsKey(id)).toList();
    endedElements.facts(handle, missing).forEach(job -> facts.put(job.id(), job));
    Set<Long> counted = JobDeletionDao.ofOpenRuns(handle, ids);
    ActionResult result = new ActionResult();
    for (Long id : ids) {
      String refusal = refusal(handle, facts.get(id), counted.contains(id));
      if (refusal == null) {
        result.changed(id);
      } else {
        result.refused(id, refusal);
      }
    }
    return result;
  }

  /** Follows "job N"; null if it can be deleted. */
  private static String refusal(Handle handle, JobFacts job, boolean counted) {
    if (job == null) {
      return JobMessages.DOES_NOT_EXIST;
    }
    if (!job.state().ended()) {
      return "is %s; only ended jobs are deleted, cancel it first"
          .formatted(MessageText.of(job.state()));
    }
    if (counted) {
      return "belongs to a run of a task that has not ended; delete it after the run";
    }
    if (job.isArray() && !JobDeletionDao.arrayIsOver(handle, job.id())) {
      return "has elements that have not ended; wait for them";
    }
    if (job.array() != null && JobDeletionDao.exists(handle, job.array())) {
      return "is an element of array %1$d; delete the whole array with 'millrace job delete %1$d'"
          .formatted(job.array());
    }
    return null;
  }
}
