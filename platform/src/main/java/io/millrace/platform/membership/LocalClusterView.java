package io.millrace.platform.membership;

import io.millrace.platform.clock.Clock;
import io.millrace.platform.identity.ReportSigner;
import io.millrace.platform.identity.ReportVerifier;
import io.millrace.platform.membership.HazelcastClusterView.Heard;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A view within one process, for tests of nodes in several modules. Thread-safe. */
public final class LocalClusterView implements ClusterView {
  private final Map<String, Heard> topics = new ConcurrentHashMap<>();
  private final Clock clock;

  public LocalClusterView(Clock clock) {
    this.clock = clock;
  }

  /** Nobody can forge anything within the process. */
  @Override
  public void verifyBy(ReportVerifier reports) {}

  @Override
  public void signBy(ReportSigner signer) {}

  @Override
  public void join(Collection<String> members) {}

  @Override
  public Optional<String> address() {
    return Optional.empty();
  }

  @Override
  public void publish(String topic, String key, String json) {
    topic(topic).receive(key, json);
  }

  @Override
  public void withdraw(String topic, String key) {
    topic(topic).forget(key);
  }

  @Override
  public Map<String, Entry> entries(String topic) {
    return topic(topic).fresh();
  }

  private Heard topic(String topic) {
    return topics.computeIfAbsent(topic, t -> new Heard(clock, STALE_AFTER));
  }

  @Override
  public void start() {}

  @Override
  public void stop() {}
}
