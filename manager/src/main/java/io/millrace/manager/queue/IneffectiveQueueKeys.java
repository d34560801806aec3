package io.millrace.manager.queue;

import io.millrace.api.Pure;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.QueueDefinition;
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
    return keys.problems;
  }

  private void withoutWorker() {
    String reason = "is for workers, and this queue has none; add worker, or leave it out";
    refuse("batch", QueueDefinition::batch, reason);
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

  private static Function<QueueDefinition, Object> of(Function<PacingDefinition, Object> key) {
    return queue -> key.apply(queue.pacing());
  }

  private void refuse(String key, Function<QueueDefinition, Object> value, String reason) {
    if (!Objects.equals(value.apply(queue), value.apply(USUAL))) {
      problems.add(key + " " + reason);
    }
  }
}
