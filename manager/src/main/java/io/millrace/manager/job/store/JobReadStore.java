package io.millrace.manager.job.store;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.json.Json;
import io.millrace.api.overview.JobCounts;
import io.millrace.manager.job.JobFilter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** Reads jobs without locking them. Stateless. */
public final class JobReadStore {
  /**
   * What a node needs to start an attempt.
   *
   * @param kind who wanted the job
   * @param spec what to run
   */
  public record Task(JobKind kind, JobSpec spec) {}

  public Optional<JobView> view(Handle handle, long id) {
    return handle
        .createQuery("select " + Columns.VIEW + " from job j where j.id = :id")
        .bind("id", id)
        .map((row, context) -> Columns.view(row))
        .findOne();
  }

  public Optional<JobSpec> spec(Handle handle, long id) {
    return handle
        .createQuery("select spec from job where id = :id")
        .bind("id", id)
        .mapTo(String.class)
        .findOne()
        .map(spec -> Json.read(spec, JobSpec.class));
  }

  /** What to start, by job, for attempts that are still current. */
  public Map<AttemptId, Task> tasks(Handle handle, Collection<AttemptId> attempts) {
    if (attempts.isEmpty()) {
      return Map.of();
    }
    return handle
        .createQuery("select id, attempt_number, kind, spec from job where id in (<ids>)")
        .bindList("ids", attempts.stream().map(AttemptId::job).toList())
        .map(
            (row, context) ->
                Map.entry(
                    new AttemptId(row.getLong("id"), row.getInt("attempt_number")),
                    new Task(
                        JobKind.valueOf(row.getString("kind")),
                        Json.read(row.getString("spec"), JobSpec.class))))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Newest first. */
  public List<JobView> list(Handle handle, JobFilter filter) {
    List<String> conditions = new ArrayList<>(List.of("1 = 1"));
    Map<String, Object> values = new HashMap<>();
    if (filter.kind() != null) {
      conditions.add("j.kind = :kind");
      values.put("kind", filter.kind().name());
    }
    if (!filter.states().isEmpty()) {
      conditions.add("j.state in (<states>)");
    }
    if (filter.queue() != null) {
      conditions.add("j.queue = :queue");
      values.put("queue", filter.queue());
    }
    if (filter.name() != null) {
      conditions.add("j.name = :name");
      values.put("name", filter.name());
    }
    if (filter.before() != null) {
      conditions.add("j.id < :before");
      values.put("before", filter.before());
    }
    values.put("limit", filter.limit());
    // Only constant text is put together; every value is bound.
    Query query =
        handle.createQuery(
            "select "
                + Columns.VIEW
                + " from job j where "
                + String.join(" and ", conditions)
                + " order by j.id desc limit :limit");
    if (!filter.states().isEmpty()) {
      query.bindList("states", filter.states().stream().map(JobState::name).toList());
    }
    return query.bindMap(values).map((row, context) -> Columns.view(row)).list();
  }

  /** Jobs of these kinds by state. */
  public JobCounts counts(Handle handle, Set<JobKind> kinds) {
    Map<JobState, Long> counts = new EnumMap<>(JobState.class);
    handle
        .createQuery(
            "select state, count(*) as jobs from job where kind in (<kinds>) group by state")
        .bindList("kinds", kinds.stream().map(JobKind::name).toList())
        .map(
            (row, context) ->
                Map.entry(JobState.valueOf(row.getString("state")), row.getLong("jobs")))
        .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
    return new JobCounts(
        counts.getOrDefault(JobState.WAITING, 0L),
        counts.getOrDefault(JobState.PLACED, 0L) + counts.getOrDefault(JobState.RUNNING, 0L),
        counts.getOrDefault(JobState.SUCCEEDED, 0L),
        counts.getOrDefault(JobState.FAILED, 0L),
        counts.getOrDefault(JobState.CANCELLED, 0L));
  }
}
