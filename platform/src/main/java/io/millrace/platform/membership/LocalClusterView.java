package io.millrace.platform.membership;

import io.millrace.platform.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A view within one process, for tests and for a node that stands alone. Thread-safe. */
public final class LocalClusterView implements ClusterView {
  private final Map<String, Map<String, String>> topics = new ConcurrentHashMap<>();
  private final Map<String, Freshness> freshness = new ConcurrentHashMap<>();
  private final AtomicLong number = new AtomicLong();
  private final Clock clock;

  public LocalClusterView(Clock clock) {
    this.clock = clock;
  }

  @Override
  public void publish(String topic, String key, String json) {
    topic(topic).put(key, number.incrementAndGet() + ":" + json);
  }

  @Override
  public void withdraw(String topic, String key) {
    topic(topic).remove(key);
  }

  @Override
  public Map<String, Entry> entries(String topic) {
    return freshness
        .computeIfAbsent(topic, t -> new Freshness(clock, STALE_AFTER))
        .fresh(new HashMap<>(topic(topic)));
  }

  private Map<String, String> topic(String topic) {
    return topics.computeIfAbsent(topic, t -> new ConcurrentHashMap<>());
  }

  @Override
  public void start() {}

  @Override
  public void stop() {}
}
