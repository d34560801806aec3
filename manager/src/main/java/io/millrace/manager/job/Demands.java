package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.manager.job.UsageProfile.Estimate;
import io.millrace.manager.placement.PerNodeLimit;
import io.millrace.manager.placement.Shape;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.manager.placement.ShapeUser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Computes the demands by which new jobs are placed and charged. Thread-safe. */
final class Demands {
  private static final String TASK = "task:";
  private static final String CHUNK = "MILLRACE_CHUNK";
  private static final int MILLIS = 1000;
  private static final Estimate UNKNOWN = new Estimate(0, 0);

  private final ShapeDao shapes;
  // Null until profiles are kept.
  private volatile UsageProfiles profiles;

  Demands(ShapeDao shapes) {
    this.shapes = shapes;
  }

  /** Estimates from these profiles, from now on, what jobs do not state. */
  void estimateBy(UsageProfiles source) {
    profiles = source;
  }

  /** The demands of the jobs, in their order. */
  List<Demand> of(Handle handle, JobKind kind, String owner, List<NewJob> jobs) {
    List<String> definitions =
        jobs.stream().map(job -> definition(kind, owner, job.spec())).toList();
    UsageProfiles source = profiles;
    Map<String, Estimate> known =
        source == null ? Map.of() : source.of(handle, new HashSet<>(definitions));
    List<Shape> needed = new ArrayList<>(jobs.size());
    for (int i = 0; i < jobs.size(); i++) {
      JobSpec spec = jobs.get(i).spec();
      Estimate estimate = known.get(definitions.get(i));
      Estimate possible =
          estimate == null ? UNKNOWN : estimate.within(source.offers(handle, spec.pool()));
      needed.add(shape(kind, owner, spec, possible));
    }
    Map<Shape, Long> ids = shapes.idsOf(handle, needed);
    List<Demand> demands = new ArrayList<>(jobs.size());
    for (int i = 0; i < jobs.size(); i++) {
      Shape shape = needed.get(i);
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
        spec.rank(),
        // A built-in program runs in the agent, but may run commands as a user.
        spec.command() == null && spec.runAs() == null ? null : new ShapeUser(spec.runAs()));
  }

  /** A worker also takes one of its queue's slots on the node, if these are limited. */
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

  /** The key under which earlier runs of the same job are found. */
  static String definition(JobKind kind, String owner, JobSpec spec) {
    return switch (kind) {
      case WORKER -> "queue:" + spec.input().queue();
      case MANAGER ->
          "manager:"
              + SegmentKey.ofManager(spec.single()).map(SegmentKey::queue).orElse(spec.name());
      case SUBMITTED -> owner + "/" + submitted(owner, spec);
    };
  }

  // The name of a worker with a chunk contains the chunk: all workers of a task are one definition.
  private static String submitted(String owner, JobSpec spec) {
    return owner.startsWith(TASK) && spec.env().containsKey(CHUNK)
        ? owner.substring(TASK.length()) + " worker"
        : spec.name();
  }

  /**
   * What a job is placed and charged by.
   *
   * @param share the fair share that it is charged to
   * @param definition the key under which earlier runs of the same job are found
   * @param cpuMillis thousandths of processors that it books
   * @param memoryBytes memory that it books
   * @param shapeId its shape
   */
  record Demand(String share, String definition, int cpuMillis, long memoryBytes, long shapeId) {}
}
