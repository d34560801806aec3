package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.manager.job.JobSubmission.NewJob;
import io.millrace.manager.job.SubmissionDao.Arrival.Demand;
import io.millrace.manager.job.UsageEstimates.Estimate;
import io.millrace.manager.placement.PerNodeLimit;
import io.millrace.manager.placement.Shape;
import io.millrace.manager.placement.ShapeDao;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Computes what new jobs are placed and charged by. Thread-safe. */
final class Demands {
  private static final int MILLIS = 1000;
  private static final Estimate UNKNOWN = new Estimate(0, 0);

  private final ShapeDao shapes;
  private volatile UsageEstimates estimates = UsageEstimates.NONE;

  Demands(ShapeDao shapes) {
    this.shapes = shapes;
  }

  /** Fills in, from now on, what jobs do not state. */
  void estimateBy(UsageEstimates source) {
    estimates = source;
  }

  /** The demands of the jobs, in their order. */
  List<Demand> of(Handle handle, JobKind kind, String owner, List<NewJob> jobs) {
    List<String> definitions =
        jobs.stream().map(job -> definition(kind, owner, job.spec())).toList();
    Map<String, Estimate> known = estimates.of(handle, new HashSet<>(definitions));
    List<Shape> wanted = new ArrayList<>(jobs.size());
    for (int i = 0; i < jobs.size(); i++) {
      Estimate estimate = known.getOrDefault(definitions.get(i), UNKNOWN);
      wanted.add(shape(kind, owner, jobs.get(i).spec(), estimate));
    }
    Map<Shape, Long> ids = shapes.idsOf(handle, wanted);
    List<Demand> demands = new ArrayList<>(jobs.size());
    for (int i = 0; i < jobs.size(); i++) {
      Shape shape = wanted.get(i);
      demands.add(
          new Demand(
              shape.share(),
              definitions.get(i),
              shape.cpuMillis(),
              shape.memoryBytes(),
              ids.get(shape)));
    }
    return demands;
  }

  private static Shape shape(JobKind kind, String owner, JobSpec spec, Estimate estimate) {
    return new Shape(
        spec.pool(),
        share(kind, owner, spec),
        spec.priority(),
        spec.slots(),
        spec.cpu() == null
            ? estimate.cpuMillis()
            : (int) Math.max(1, Math.round(spec.cpu() * MILLIS)),
        spec.memory() == null ? estimate.memoryBytes() : spec.memory().bytes(),
        resources(kind, spec),
        spec.licences(),
        spec.requires(),
        spec.rank());
  }

  /** A worker also takes one of its queue's places on the node. */
  private static Map<String, Integer> resources(JobKind kind, JobSpec spec) {
    if (kind != JobKind.WORKER || spec.input().maxPerNode() == 0) {
      return spec.resources();
    }
    Map<String, Integer> all = new HashMap<>(spec.resources());
    all.putAll(PerNodeLimit.of(spec.input().queue(), spec.input().maxPerNode()));
    return all;
  }

  private static String share(JobKind kind, String owner, JobSpec spec) {
    if (spec.share() != null) {
      return spec.share();
    }
    return kind == JobKind.WORKER ? "queue:" + spec.input().queue() : owner;
  }

  /** What earlier runs of the same are found by. */
  static String definition(JobKind kind, String owner, JobSpec spec) {
    return switch (kind) {
      case WORKER -> "queue:" + spec.input().queue();
      case MANAGER ->
          "manager:"
              + SegmentKey.ofManager(spec.single()).map(SegmentKey::queue).orElse(spec.name());
      case SUBMITTED -> owner + "/" + spec.name();
    };
  }
}
