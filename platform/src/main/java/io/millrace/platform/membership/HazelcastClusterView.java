package io.millrace.platform.membership;

import com.hazelcast.config.Config;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastException;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.topic.ITopic;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.membership.ClusterView.Entry;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The view over a Hazelcast member. Publications are messages that every member receives and keeps
 * for a few seconds; no member stores them for others, so that nothing has to be repaired after a
 * loss or a split: what is valid is published again within a second. Publishing never waits for
 * another member.
 *
 * <p>The member starts in the background, and again, with growing pauses, if it could not start or
 * has shut down, as Hazelcast does after a failed merge. Meanwhile publications are dropped and the
 * view becomes empty. Thread-safe.
 */
public final class HazelcastClusterView implements ClusterView {
  private static final Logger LOGGER = LoggerFactory.getLogger(HazelcastClusterView.class);
  private static final Duration WATCH_EVERY = Duration.ofMillis(500);
  private static final Duration STOP_WITHIN = Duration.ofSeconds(2);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final Config config;
  private final Function<Config, HazelcastInstance> starter;
  private final Clock clock;
  private final Map<String, Heard> topics = new ConcurrentHashMap<>();
  private final Loop keeper = new Loop("cluster-view", WATCH_EVERY, STOP_WITHIN, this::keep);
  // Used only by the keeper's thread.
  private final Set<String> subscribed = new HashSet<>();
  private Duration pause = FIRST_PAUSE;
  private long notBefore;
  // Guarded by this.
  private HazelcastInstance member;
  private boolean stopped;

  public HazelcastClusterView(MembershipSettings settings, Clock clock) {
    this(settings, clock, Hazelcast::newHazelcastInstance);
  }

  /**
   * A view with another way to start members.
   *
   * @param starter blocks until the member is up
   */
  HazelcastClusterView(
      MembershipSettings settings, Clock clock, Function<Config, HazelcastInstance> starter) {
    this.starter = starter;
    this.config = MemberConfiguration.of(settings);
    this.clock = clock;
    this.notBefore = clock.nanoTime();
  }

  @Override
  public void start() {
    keeper.start();
  }

  @Override
  public void publish(String topic, String key, String json) {
    publishMessage(topic, new Saying(key, json));
  }

  @Override
  public void withdraw(String topic, String key) {
    publishMessage(topic, new Saying(key, ""));
  }

  @Override
  public Map<String, Entry> entries(String topic) {
    HazelcastInstance running = member();
    return running == null ? Map.of() : received(topic).fresh();
  }

  @Override
  public void stop() {
    HazelcastInstance running;
    synchronized (this) {
      stopped = true;
      running = member;
    }
    if (running != null) {
      running.getLifecycleService().terminate();
    }
    keeper.stop();
  }

  /**
   * Reading a topic subscribes to it in the background, because subscribing waits for other
   * members.
   */
  private Heard received(String topic) {
    Heard known = topics.get(topic);
    if (known == null) {
      known = topics.computeIfAbsent(topic, t -> new Heard(clock, STALE_AFTER));
      keeper.wake();
    }
    return known;
  }

  private void publishMessage(String topic, Saying message) {
    HazelcastInstance running = member();
    if (running == null) {
      return;
    }
    try {
      running.<String>getTopic(name(topic)).publish(message.text());
    } catch (HazelcastException | HazelcastInstanceNotActiveException e) {
      // Soft state: a member that merges or stops delays the view, and no caller fails.
      LOGGER.debug("the cluster view was not reachable", e);
    }
  }

  private void keep() {
    HazelcastInstance running = member();
    if (running == null) {
      running = startWhenDue();
    }
    if (running == null) {
      return;
    }
    if (clock.nanoTime() - notBefore > LONGEST_PAUSE.toNanos()) {
      pause = FIRST_PAUSE;
    }
    for (String topic : topics.keySet()) {
      if (!subscribed.contains(topic)) {
        ITopic<String> shared = running.getTopic(name(topic));
        shared.addMessageListener(message -> receive(topic, message.getMessageObject()));
        subscribed.add(topic);
      }
    }
  }

  private void receive(String topic, String text) {
    Saying message = Saying.parse(text);
    if (message.withdrawn()) {
      received(topic).forget(message.key());
    } else {
      received(topic).receive(message.key(), message.json());
    }
  }

  /** Blocks until the member is up; the loop logs a failure once. */
  private HazelcastInstance startWhenDue() {
    if (isStopped() || clock.nanoTime() - notBefore < 0) {
      return null;
    }
    // Measured from before the start, so that a member that keeps shutting down is not restarted
    // continuously.
    notBefore = clock.nanoTime() + pause.toNanos();
    pause = longer(pause);
    subscribed.clear();
    HazelcastInstance started = starter.apply(config);
    boolean late;
    synchronized (this) {
      late = stopped;
      member = late ? null : started;
    }
    if (late) {
      started.getLifecycleService().terminate();
      return null;
    }
    return started;
  }

  private static Duration longer(Duration pause) {
    Duration doubled = pause.multipliedBy(2);
    return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
  }

  /** The running member; null while there is none. */
  private synchronized HazelcastInstance member() {
    return member != null && member.getLifecycleService().isRunning() ? member : null;
  }

  private synchronized boolean isStopped() {
    return stopped;
  }

  private static String name(String topic) {
    return "view-" + topic;
  }

  /** The configuration of Hazelcast members: no discovery, no telemetry, short timeouts. */
  private static final class MemberConfiguration {
    private static final int FIRST_PORT = 5701;
    private static final int PORTS = 200;

    private MemberConfiguration() {}

    static Config of(MembershipSettings settings) {
      Config config = new Config();
      config.setClusterName(settings.clusterName());
      config.setProperty("hazelcast.logging.type", "slf4j");
      config.setProperty("hazelcast.phone.home.enabled", "false");
      config.setProperty("hazelcast.wait.seconds.before.join", "0");
      config.setProperty("hazelcast.heartbeat.interval.seconds", "1");
      config.setProperty("hazelcast.max.no.heartbeat.seconds", "5");
      config.setProperty("hazelcast.operation.call.timeout.millis", "5000");
      config.setProperty("hazelcast.merge.first.run.delay.seconds", "5");
      config.setProperty("hazelcast.merge.next.run.delay.seconds", "5");
      config.setProperty("hazelcast.shutdownhook.enabled", "false");
      config.setProperty("hazelcast.socket.bind.any", "false");
      config.setProperty("hazelcast.partition.count", "31");
      config.getJetConfig().setEnabled(false);
      config.getMetricsConfig().setEnabled(false);
      config.getSerializationConfig().setJavaSerializationFilterConfig(filter());
      NetworkConfig network = config.getNetworkConfig();
      network.setPort(settings.port() == 0 ? FIRST_PORT : settings.port());
      network.setPortAutoIncrement(settings.port() == 0);
      network.setPortCount(PORTS);
      settings.publicAddress().ifPresent(network::setPublicAddress);
      network.getInterfaces().setEnabled(true).addInterface(settings.host());
      JoinConfig join = network.getJoin();
      join.getAutoDetectionConfig().setEnabled(false);
      join.getMulticastConfig().setEnabled(false);
      join.getTcpIpConfig().setEnabled(true).setMembers(settings.members());
      return config;
    }

    /**
     * Messages are strings, which need no Java serialization. Hazelcast reports failures with its
     * own exceptions, though, and a call whose answer is refused waits until its timeout.
     */
    private static JavaSerializationFilterConfig filter() {
      JavaSerializationFilterConfig filter = new JavaSerializationFilterConfig();
      filter.setDefaultsDisabled(true);
      filter.getWhitelist().addPrefixes("com.hazelcast.");
      filter
          .getWhitelist()
          .addClasses(
              "java.lang.Enum",
              "java.lang.Object",
              "java.lang.SecurityException",
              "java.lang.NullPointerException",
              "java.lang.ClassCastException",
              "java.lang.ClassNotFoundException",
              "java.lang.UnsupportedOperationException",
              "java.lang.InterruptedException",
              "java.lang.Throwable",
              "java.lang.Exception",
              "java.lang.RuntimeException",
              "java.lang.Error",
              "java.lang.IllegalStateException",
              "java.lang.IllegalArgumentException",
              "java.lang.String",
              "java.lang.StackTraceElement",
              "[Ljava.lang.StackTraceElement;",
              "java.util.Collections$EmptyList",
              "java.util.Collections$UnmodifiableList",
              "java.util.Collections$UnmodifiableCollection",
              "java.util.ArrayList",
              "java.util.concurrent.CancellationException",
              "java.util.concurrent.CompletionException",
              "java.util.concurrent.ExecutionException",
              "java.util.concurrent.TimeoutException",
              "java.io.EOFException",
              "java.io.IOException",
              "java.net.SocketException");
      return filter;
    }
  }

  /**
   * One message between members, as a string: nothing else needs to be deserialized.
   *
   * @param key the publisher's key
   * @param json the report; empty to withdraw it
   */
  private record Saying(String key, String json) {
    Saying {
      if (key.indexOf('\n') >= 0) {
        throw new IllegalArgumentException("a key of the cluster view is one line");
      }
    }

    String text() {
      return key + "\n" + json;
    }

    static Saying parse(String text) {
      int end = text.indexOf('\n');
      return end < 0
          ? new Saying(text, "")
          : new Saying(text.substring(0, end), text.substring(end + 1));
    }

    boolean withdrawn() {
      return json.isEmpty();
    }
  }

  /**
   * The fresh reports of one topic. Ages are measured from their receipt by this process's
   * monotonic clock, so that clocks of different hosts are never compared. Thread-safe.
   */
  static final class Heard {
    private final Clock clock;
    private final Duration staleAfter;
    private final Map<String, ReceivedEntry> entries = new ConcurrentHashMap<>();

    Heard(Clock clock, Duration staleAfter) {
      this.clock = clock;
      this.staleAfter = staleAfter;
    }

    /** Stores a report that was received. */
    void receive(String key, String json) {
      entries.put(key, new ReceivedEntry(json, clock.nanoTime()));
    }

    /** Removes a withdrawn report. */
    void forget(String key) {
      entries.remove(key);
    }

    /** The fresh reports; stale ones are removed. */
    Map<String, Entry> fresh() {
      Map<String, Entry> fresh = new HashMap<>();
      long now = clock.nanoTime();
      entries.forEach(
          (key, entry) -> {
            Duration age = Duration.ofNanos(Math.max(0, now - entry.at));
            if (age.compareTo(staleAfter) < 0) {
              fresh.put(key, new Entry(entry.json, age));
            } else {
              entries.remove(key, entry);
            }
          });
      return fresh;
    }

    private record ReceivedEntry(String json, long at) {}
  }
}
