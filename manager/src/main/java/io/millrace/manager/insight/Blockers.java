package io.millrace.manager.insight;

import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobView;
import io.millrace.api.job.WaitCode;
import io.millrace.api.job.WaitReason;
import io.millrace.manager.job.DependencyDao;
import io.millrace.manager.job.JobReadDao;
import io.millrace.manager.job.LaneDao;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** What keeps a job from being placed at all, whatever nodes there are. Thread-safe. */
final class Blockers {
  private static final int MOST_JOBS = 5;

  private final JobReadDao jobs = new JobReadDao();
  private final DependencyDao dependencies = new DependencyDao();
  private final LaneDao lanes = new LaneDao();

  /** The reasons, the deciding one first. */
  List<WaitReason> of(Handle handle, WaitFacts job, Instant now) {
    List<WaitReason> reasons = new ArrayList<>();
    if (job.held()) {
      String who = Objects.requireNonNullElse(job.holdReason(), "held");
      reasons.add(new WaitReason(WaitCode.HELD, who + "; release it to let it run"));
    }
    if (job.unmet() > 0) {
      reasons.add(dependency(handle, job));
    }
    if (job.lane() != null) {
      lane(handle, job).ifPresent(reasons::add);
    }
    if (job.notBefore() != null && job.notBefore().isAfter(now)) {
      reasons.add(pause(job));
    }
    return reasons;
  }

  private static WaitReason pause(WaitFacts job) {
    return job.attempt() == 0
        ? new WaitReason(WaitCode.NOT_BEFORE, "starts at " + job.notBefore() + " at the earliest")
        : new WaitReason(WaitCode.BACKOFF, job.reason() + ", at " + job.notBefore());
  }

  private WaitReason dependency(Handle handle, WaitFacts job) {
    List<Dependency> unmet = dependencies.unmet(handle, job.id(), MOST_JOBS);
    Map<Long, JobView> views =
        jobs.views(handle, unmet.stream().map(Dependency::job).distinct().toList()).stream()
            .collect(Collectors.toMap(JobView::id, Function.identity()));
    String words =
        unmet.stream()
            .map(dependency -> words(dependency, views.get(dependency.job())))
            .collect(Collectors.joining("; "));
    int more = job.unmet() - unmet.size();
    return new WaitReason(
        WaitCode.DEPENDENCY, "waits for " + words + (more > 0 ? "; and " + more + " more" : ""));
  }

  private static String words(Dependency dependency, JobView view) {
    String wanted =
        switch (dependency.end()) {
          case OK -> " to succeed";
          case ANY -> " to end";
          case FAIL -> " to fail";
        };
    return named(dependency.job(), view) + wanted;
  }

  private Optional<WaitReason> lane(Handle handle, WaitFacts job) {
    return lanes
        .ahead(handle, job.id())
        .map(
            ahead -> {
              JobView head = jobs.view(handle, ahead.head()).orElse(null);
              String rest = ahead.jobs() > 1 ? ", the first of " + ahead.jobs() + " before it" : "";
              return new WaitReason(
                  WaitCode.LANE,
                  "lane " + job.lane() + ": after " + named(ahead.head(), head) + rest);
            });
  }

  private static String named(long id, JobView view) {
    return view == null
        ? "job " + id
        : "job " + id + " (" + view.name() + ", " + view.state() + ")";
  }
}
