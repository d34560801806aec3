package io.millrace.manager.queue;

import io.millrace.api.Pure;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.WorkerDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Finds keys of a queue that would have no effect beside its others. A key with its default value
 * is not found: definitions as they are stored and printed have all keys.
 */
@Pure
final class IneffectiveQueueKeys {
  private static final QueueDefinition USUAL =
      new QueueDefinition("usual", 0, 0, 0, null, 0, null, 0, null, null, 0, null, null);

  private final QueueDefinition queue;
  private final List<String> problems = new ArrayList<>();

  private IneffectiveQueueKeys(QueueDefinition queue) {
    this.queue = queue;
  }

  /** A message for each of them, which begins with the key. */
  static List<String> problems(QueueDefinition queue) {
    IneffectiveQueueKeys keys = new IneffectiveQueueKeys(queue);
    if (queue.worker() == null) {
      keys.withoutWorker();
    } else {
      keys.ofOtherPolicy();
    }
    if (queue.external()) {
      keys.withSource();
    }
    if (queue.ofSessions()) {
      keys.withSessions();
    }
    return keys.problems;
  }

  private void withoutWorker() {
    String reason = "is for workers, and this queue has none; add worker, or leave it out";
    if (!queue.ofSessions()) {
      refuse("batch", QueueDefinition::batch, reason);
    }
    refuse("pacing", QueueDefinition::pacing, reason);
  }

  private void ofOtherPolicy() {
    PacingDefinition pacing = queue.pacing();
    if (pacing.policy().equals("threshold")) {
      return;
    }
    String reason =
        "applies to policy threshold only, not to %s; leave it out".formatted(pacing.policy());
    refuse("pacing.upperLimit", of(PacingDefinition::upperLimit), reason);
    refuse("pacing.lowerLimit", of(PacingDefinition::lowerLimit), reason);
    // Its default is the upper limit.
    if (pacing.backlog() != pacing.upperLimit()) {
      refuse("pacing.backlog", of(PacingDefinition::backlog), reason);
    }
  }

  private void withSource() {
    String reason =
        "is for events that are stored in Millrace, and this queue has a source; leave it out";
    refuse("maxAttempts", QueueDefinition::maxAttempts, reason);
    refuse("maxReturns", QueueDefinition::maxReturns, reason);
    refuse("lease", QueueDefinition::lease, reason);
    refuse("maxEvents", QueueDefinition::maxEvents, reason);
    refuse("maxBytes", QueueDefinition::maxBytes, reason);
    refuse("maxRate", QueueDefinition::maxRate, reason);
    refuse("retention", QueueDefinition::retention, reason);
    refuse("deadRetention", QueueDefinition::deadRetention, reason);
    refuse("minSegments", QueueDefinition::minSegments, reason);
    refuse(
        "pacing.tick",
        of(PacingDefinition::tick),
        "does not apply to a queue with a source, whose managers decide every source.every;"
            + " set that");
  }

  private void withSessions() {
    String reason = "is for single events, and this queue has sessions; leave it out";
    refuse("lease", QueueDefinition::lease, reason);
    refuse("maxReturns", QueueDefinition::maxReturns, reason);
    refuse("deadRetention", QueueDefinition::deadRetention, reason);
    String pacing =
        "is for workers of single events, and this queue has sessions, whose workers are started by"
            + " their number; leave it out";
    refuse("pacing.policy", of(PacingDefinition::policy), pacing);
    refuse("pacing.waitTarget", of(PacingDefinition::waitTarget), pacing);
    refuse("pacing.maxEventsPerSecond", of(PacingDefinition::maxEventsPerSecond), pacing);
    WorkerDefinition worker = queue.worker();
    if (worker != null) {
      String longLived = "is for workers of single events; a session's worker runs until it is idle";
      if (!worker.timeout().equals(WorkerDefinition.DEFAULT_TIMEOUT)) {
        problems.add("worker.timeout " + longLived + "; leave it out");
      }
      if (worker.linger() != null) {
        problems.add("worker.linger " + longLived + "; leave it out");
      }
    }
  }

  private static Function<QueueDefinition, Object> of(Function<PacingDefinition, Object> key) {
    return queue -> key.apply(queue.pacing());
  }

  private void refuse(String key, Function<QueueDefinition, Object> value, String reason) {
    if (!Objects.equals(value.apply(queue), value.apply(USUAL))) {
      problems.add(key + " " + reason);
    }
  }
}
