package io.millrace.platform.membership;

import com.hazelcast.config.Config;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastException;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.replicatedmap.ReplicatedMap;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.platform.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The view over a Hazelcast member: every member holds a copy, so that reading never waits for the
 * network. The member starts in the background; until it is there, the view is empty and what is
 * published is dropped (it comes again in a second). Thread-safe.
 */
public final class HazelcastClusterView implements ClusterView {
  private static final Logger LOGGER = LoggerFactory.getLogger(HazelcastClusterView.class);
  private static final int FIRST_PORT = 5701;
  private static final int PORTS = 200;
  private static final int LIFE_SECONDS = 60;

  private final Config config;
  private final Clock clock;
  private final Map<String, Freshness> freshness = new ConcurrentHashMap<>();
  // Starts where no earlier life of this process has been.
  private final AtomicLong number;
  // Both guarded by this.
  private CompletableFuture<HazelcastInstance> member;
  private boolean stopped;

  public HazelcastClusterView(MembershipSettings settings, Clock clock) {
    this.config = config(settings);
    this.clock = clock;
    this.number = new AtomicLong(clock.now().toEpochMilli());
  }

  @Override
  public synchronized void start() {
    member = new CompletableFuture<>();
    Threads.daemon("cluster-view-start", this::join).start();
  }

  @Override
  public void publish(String topic, String key, String json) {
    ReplicatedMap<String, String> map = map(topic);
    if (map != null) {
      quietly(
          () ->
              map.put(key, number.incrementAndGet() + ":" + json, LIFE_SECONDS, TimeUnit.SECONDS));
    }
  }

  @Override
  public void withdraw(String topic, String key) {
    ReplicatedMap<String, String> map = map(topic);
    if (map != null) {
      quietly(() -> map.remove(key));
    }
  }

  @Override
  public Map<String, Entry> entries(String topic) {
    ReplicatedMap<String, String> map = map(topic);
    if (map == null) {
      return Map.of();
    }
    Map<String, String> copy = new HashMap<>();
    quietly(() -> copy.putAll(map));
    return freshness.computeIfAbsent(topic, t -> new Freshness(clock, STALE_AFTER)).fresh(copy);
  }

  /** A member that is still starting ends when its start does. */
  @Override
  public void stop() {
    HazelcastInstance running;
    synchronized (this) {
      stopped = true;
      running = member == null ? null : member.getNow(null);
    }
    if (running != null) {
      running.getLifecycleService().terminate();
    }
  }

  private void join() {
    try {
      HazelcastInstance started = Hazelcast.newHazelcastInstance(config);
      boolean late;
      synchronized (this) {
        late = stopped;
        if (!late) {
          member.complete(started);
        }
      }
      if (late) {
        started.getLifecycleService().terminate();
      }
    } catch (RuntimeException e) {
      LOGGER.error("no cluster view: the Hazelcast member did not start", e);
    }
  }

  private synchronized ReplicatedMap<String, String> map(String topic) {
    HazelcastInstance running = member == null ? null : member.getNow(null);
    if (running == null) {
      return null;
    }
    try {
      return running.getReplicatedMap("view-" + topic);
    } catch (HazelcastInstanceNotActiveException e) {
      return null;
    }
  }

  /**
   * Soft state: a member that merges, splits or stops makes the view late, and nobody fails for it.
   */
  private static void quietly(Runnable action) {
    try {
      action.run();
    } catch (HazelcastException | HazelcastInstanceNotActiveException e) {
      LOGGER.debug("the cluster view was not reachable", e);
    }
  }

  private static Config config(MembershipSettings settings) {
    Config config = new Config();
    config.setClusterName(settings.clusterName());
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.heartbeat.interval.seconds", "1");
    config.setProperty("hazelcast.max.no.heartbeat.seconds", "5");
    config.setProperty("hazelcast.merge.first.run.delay.seconds", "10");
    config.setProperty("hazelcast.merge.next.run.delay.seconds", "5");
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.partition.count", "31");
    config.getJetConfig().setEnabled(false);
    config.getMetricsConfig().setEnabled(false);
    // Nothing but strings crosses; an object in a message is refused before it is made.
    JavaSerializationFilterConfig filter = new JavaSerializationFilterConfig();
    filter.setDefaultsDisabled(true);
    filter.getWhitelist().addClasses(String.class.getName());
    config.getSerializationConfig().setJavaSerializationFilterConfig(filter);
    NetworkConfig network = config.getNetworkConfig();
    network.setPort(settings.port() == 0 ? FIRST_PORT : settings.port());
    network.setPortAutoIncrement(settings.port() == 0);
    network.setPortCount(PORTS);
    network.getInterfaces().setEnabled(true).addInterface(settings.host());
    JoinConfig join = network.getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setMembers(settings.members());
    return config;
  }
}
