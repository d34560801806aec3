package io.millrace.manager.job;

import static java.util.stream.Collectors.toSet;

import io.millrace.api.DataSize;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.manager.job.PoolCapacity.NodeOffer;
import io.millrace.manager.job.ResourceAdjustmentDao.RequestChange;
import io.millrace.manager.job.ResourceScaling.ResourceRequest;
import io.millrace.manager.job.ResourceScaling.ScaledRequest;
import io.millrace.manager.job.RetryRule.RetryDecision;
import io.millrace.manager.placement.Shape;
import io.millrace.manager.placement.ShapeDao;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Adjusts what jobs request when an attempt exceeded it and is retried (J-12), in the transaction
 * that decides the retry. Thread-safe.
 */
final class ResourceAdjustments {
  private static final Set<Outcome> EXCEEDED =
      EnumSet.of(Outcome.MEMORY_EXCEEDED, Outcome.TIMED_OUT);

  private final JobDao jobs = new JobDao();
  private final NodeOfferDao nodes = new NodeOfferDao();
  private final ResourceAdjustmentDao adjustments = new ResourceAdjustmentDao();
  private final ShapeDao shapes;

  ResourceAdjustments(ShapeDao shapes) {
    this.shapes = shapes;
  }

  /** The changes that come of ends of attempts whose jobs are locked. */
  ChangePlan of(Handle handle, List<EndedAttempt> ends) {
    List<EndedAttempt> exceeded =
        ends.stream()
            .filter(end -> EXCEEDED.contains(end.result().outcome()))
            .filter(end -> end.job().retry().max() > 0)
            .toList();
    boolean memory =
        exceeded.stream().anyMatch(end -> end.result().outcome() == Outcome.MEMORY_EXCEEDED);
    return new ChangePlan(
        jobs.specs(handle, exceeded.stream().map(end -> end.job().id()).collect(toSet())),
        memory ? largest(nodes.all(handle)) : Map.of());
  }

  /** The memory of the largest node of each pool. */
  private static Map<String, Long> largest(List<NodeOffer> offers) {
    Map<String, Long> largest = new HashMap<>();
    for (NodeOffer offer : offers) {
      offer.pools().forEach(pool -> largest.merge(pool, offer.memoryLimit(), Math::max));
    }
    return largest;
  }

  /** What is to be changed. One thread. */
  final class ChangePlan {
    private final Map<Long, JobSpec> specs;
    private final Map<String, Long> largest;
    private final List<Scaled> scaled = new ArrayList<>();

    private record Scaled(JobFacts job, ResourceRequest before, ScaledRequest after) {}

    private ChangePlan(Map<Long, JobSpec> specs, Map<String, Long> largest) {
      this.specs = specs;
      this.largest = largest;
    }

    /** Adjusts the job if it is retried, and adds that to the reason of the decision. */
    RetryDecision decide(EndedAttempt end, RetryDecision decision) {
      JobFacts job = end.job();
      JobSpec spec = specs.get(job.id());
      boolean retried =
          decision.state() == JobState.WAITING && decision.failedTries() > job.failedTries();
      if (spec == null || !retried) {
        return decision;
      }
      ResourceRequest before =
          new ResourceRequest(
              job.pool(),
              spec.memory() == null ? null : (Long) spec.memory().bytes(),
              spec.timeout() == null ? null : (Long) spec.timeout().toMillis());
      Optional<ScaledRequest> after =
          ResourceScaling.after(end.result().outcome(), before, spec.retry(), largest);
      if (after.isEmpty()) {
        return decision;
      }
      if (!after.get().request().equals(before)) {
        scaled.add(new Scaled(job, before, after.get()));
      }
      return decision.withReason(decision.reason() + "; " + after.get().text());
    }

    /** Writes the changes, before the jobs wait for their places again. */
    void write(Handle handle, Instant now) {
      Map<Long, Shape> old =
          shapes.find(handle, scaled.stream().map(one -> one.job().shapeId()).collect(toSet()));
      Map<Long, Shape> next = new HashMap<>();
      for (Scaled one : scaled) {
        Shape shape = old.get(one.job().shapeId());
        if (shape != null) {
          next.put(one.job().id(), shape(shape, one.after().request()));
        }
      }
      Map<Shape, Long> ids = next.isEmpty() ? Map.of() : shapes.idsOf(handle, next.values());
      adjustments.write(
          handle,
          scaled.stream()
              .map(
                  one ->
                      new RequestChange(
                          one.job(),
                          one.before(),
                          one.after().request(),
                          spec(specs.get(one.job().id()), one.after().request()),
                          // Jobs recorded by an older version have none.
                          ids.getOrDefault(next.get(one.job().id()), 0L),
                          one.after().text()))
              .toList(),
          now);
    }

    private static Shape shape(Shape old, ResourceRequest request) {
      Shape moved = old.withPool(request.pool());
      return request.memoryBytes() == null ? moved : moved.withMemoryBytes(request.memoryBytes());
    }

    private static JobSpec spec(JobSpec old, ResourceRequest request) {
      Long memory = request.memoryBytes();
      Long timeout = request.timeoutMillis();
      return old.draft()
          .pool(request.pool())
          .memory(memory == null ? null : new DataSize(memory))
          .timeout(timeout == null ? null : Duration.ofMillis(timeout))
          .spec();
    }
  }
}
