package io.millrace.queuenode.agent;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest.WeightMove;
import java.util.List;
import java.util.Locale;

/** Meters of the balancing agent. Thread-safe. */
public final class AgentMeters {
  private final MeterRegistry registry;

  public AgentMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  void moved(BalancingKind kind, List<WeightMove> moves) {
    Tags why = Tags.of("kind", kind.name().toLowerCase(Locale.ROOT));
    counter("millrace.balancing.moves", "weight moves carried out", why).increment(moves.size());
    counter("millrace.balancing.points", "weight points moved away", why)
        .increment(moves.stream().mapToInt(WeightMove::points).sum());
  }

  void refusedByReceiver() {
    refused("receiver");
  }

  void refusedByCentral() {
    refused("central");
  }

  void unknown() {
    counter("millrace.balancing.unknown", "move requests without an answer", Tags.empty())
        .increment();
  }

  private void refused(String by) {
    counter("millrace.balancing.refused", "decisions that others refused", Tags.of("by", by))
        .increment();
  }

  private Counter counter(String name, String description, Tags tags) {
    return Counter.builder(name).description(description).tags(tags).register(registry);
  }
}
