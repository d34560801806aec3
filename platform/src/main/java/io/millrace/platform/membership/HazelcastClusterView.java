package io.millrace.platform.membership;

import com.hazelcast.cluster.Address;
import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastException;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import com.hazelcast.topic.ITopic;
import com.hazelcast.topic.Message;
import io.millrace.api.node.RequestNumber;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.identity.BoundedCache;
import io.millrace.platform.identity.ReportSigner;
import io.millrace.platform.identity.ReportVerifier;
import io.millrace.platform.identity.ReportVerifier.VerifiedReport;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.membership.ClusterView.Entry;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The view over a Hazelcast member. Its port has no authentication, so reports are signed by their
 * nodes, and numbered; whatever else is heard there is dropped. Publications are messages that
 * every member receives and keeps for a few seconds; no member stores them for others, so that
 * nothing has to be repaired after a loss or a split: what is valid is published again within a
 * second. Publishing never waits for another member.
 *
 * <p>The member starts in the background, as soon as it knows other members or after three seconds,
 * and again, with growing pauses, if it could not start or has shut down, as Hazelcast does after a
 * failed merge. Meanwhile publications are dropped and the view becomes empty. Thread-safe.
 */
public final class HazelcastClusterView implements ClusterView {
  private static final Logger LOGGER = LoggerFactory.getLogger(HazelcastClusterView.class);
  private static final Duration WATCH_EVERY = Duration.ofMillis(500);
  private static final Duration STOP_WITHIN = Duration.ofSeconds(2);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private static final Duration WAIT_FOR_MEMBERS = Duration.ofSeconds(3);
  // One that answers is enough to join; a split is repaired by any two that know one another.
  private static final int MAX_MEMBERS = 100;

  private final MembershipSettings settings;
  private final Function<Config, HazelcastInstance> starter;
  private final Clock clock;
  private final Map<String, Heard> topics = new ConcurrentHashMap<>();
  // One for each queue node of this process.
  private final Map<String, ReportSigner> signers = new ConcurrentHashMap<>();
  private final Loop keeper = new Loop("cluster-view", WATCH_EVERY, STOP_WITHIN, this::keep);
  private volatile ReportVerifier verifier;
  private volatile List<String> named;
  private volatile String address;
  // Used only by the keeper's thread.
  private final Set<String> subscribed = new HashSet<>();
  private List<String> joined = List.of();
  private Config config;
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
    this.settings = settings;
    this.starter = starter;
    this.clock = clock;
    this.notBefore = clock.nanoTime();
  }

  @Override
  public void start() {
    if (settings.members().isEmpty()) {
      // A member that starts alone founds a cluster of its own, which is merged only later.
      notBefore = clock.nanoTime() + WAIT_FOR_MEMBERS.toNanos();
    }
    keeper.start();
  }

  @Override
  public void join(Collection<String> members) {
    named =
        members.stream()
            .filter(MembershipSettings::isMemberAddress)
            .distinct()
            .limit(MAX_MEMBERS)
            .toList();
    keeper.wake();
  }

  @Override
  public Optional<String> address() {
    return member() == null ? Optional.empty() : Optional.ofNullable(address);
  }

  @Override
  public void verifyBy(ReportVerifier reports) {
    verifier = reports;
  }

  @Override
  public void signBy(ReportSigner signer) {
    signers.put(signer.name(), signer);
  }

  @Override
  public void publish(String topic, String key, String json) {
    HazelcastInstance running = member();
    if (running == null) {
      return;
    }
    ReportSigner signer = signers.get(key);
    if (signer == null) {
      throw new IllegalStateException("no node of this process signs for " + key);
    }
    try {
      running.<String>getTopic(name(topic)).publish(signer.sign(topic, json));
    } catch (HazelcastException | HazelcastInstanceNotActiveException e) {
      // Soft state: a member that merges or stops delays the view, and no caller fails.
      LOGGER.debug("the cluster view was not reachable", e);
    }
  }

  @Override
  public void withdraw(String topic, String key) {
    publish(topic, key, "");
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

  private void keep() {
    HazelcastInstance running = member();
    if (running == null) {
      running = startWhenDue();
    }
    if (running == null) {
      return;
    }
    joinNamed();
    if (clock.nanoTime() - notBefore > LONGEST_PAUSE.toNanos()) {
      pause = FIRST_PAUSE;
    }
    for (String topic : topics.keySet()) {
      if (!subscribed.contains(topic)) {
        ITopic<Object> shared = running.getTopic(name(topic));
        shared.addMessageListener(message -> receive(topic, message));
        subscribed.add(topic);
      }
    }
  }

  /** Anybody who reaches the port may have sent it: only what a queue node has signed counts. */
  private void receive(String topic, Message<Object> message) {
    ReportVerifier known = verifier;
    try {
      if (known != null && message.getMessageObject() instanceof String text) {
        known.verify(topic, text).ifPresent(report -> received(topic).receive(report));
      }
    } catch (HazelcastSerializationException e) {
      // Another class than those of the filter; nothing of it was read.
      LOGGER.debug("a message to {} is no report", topic, e);
    }
  }

  /** Later starts, and the search for other parts of the cluster, read the list as it is then. */
  private void joinNamed() {
    List<String> now = named;
    if (now == null || now.equals(joined)) {
      return;
    }
    joined = now;
    config.getNetworkConfig().getJoin().getTcpIpConfig().setMembers(members(now));
  }

  private List<String> members(List<String> named) {
    return Stream.concat(settings.members().stream(), named.stream()).distinct().toList();
  }

  /**
   * Blocks until the member is up; the loop logs a failure once. Nothing starts before a node of
   * this process has said to which cluster it belongs.
   */
  private HazelcastInstance startWhenDue() {
    ReportVerifier known = verifier;
    boolean waits = clock.nanoTime() - notBefore < 0 && (config != null || named == null);
    if (isStopped() || known == null || waits) {
      return null;
    }
    if (config == null) {
      config = MemberConfiguration.of(settings, known.clusterName());
    }
    joinNamed();
    // Measured from before the start, so that a member that keeps shutting down is not restarted
    // continuously.
    notBefore = clock.nanoTime() + pause.toNanos();
    pause = longer(pause);
    subscribed.clear();
    HazelcastInstance started = starter.apply(config);
    address = address(started);
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

  /** As an IP address, in which a name is found before others are told to connect to it. */
  private static String address(HazelcastInstance started) {
    try {
      Address own = started.getCluster().getLocalMember().getAddress();
      InetAddress host = own.getInetAddress();
      String text = host.getHostAddress().replaceFirst("%.*", "");
      return (host instanceof Inet6Address ? "[" + text + "]" : text) + ":" + own.getPort();
    } catch (UnknownHostException e) {
      LOGGER.warn("the public address is not known here; other nodes cannot join this one", e);
      return null;
    }
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

  /**
   * The fresh reports of one topic, of at most 1,000 nodes. Ages are measured from their receipt by
   * this process's monotonic clock, so that clocks of different hosts are never compared.
   * Thread-safe.
   */
  static final class Heard {
    private static final int MAX_NODES = 1_000;

    private final Clock clock;
    private final Duration staleAfter;
    private final Map<String, ReceivedEntry> entries = new ConcurrentHashMap<>();
    // Kept longer than the entries, so that an old report cannot be repeated. By ID: a node with a
    // new identity counts anew, whatever its predecessor of that name has sent.
    private final BoundedCache<UUID, RequestNumber> newest = new BoundedCache<>(MAX_NODES);

    Heard(Clock clock, Duration staleAfter) {
      this.clock = clock;
      this.staleAfter = staleAfter;
    }

    /** Stores or withdraws a report, if it is newer than the node's last one. */
    synchronized void receive(VerifiedReport report) {
      String name = report.name();
      RequestNumber last = newest.get(report.node()).orElse(RequestNumber.NONE);
      if (report.number().compareTo(last) <= 0) {
        return;
      }
      newest.put(report.node(), report.number());
      if (report.json().isEmpty()) {
        forget(name);
      } else if (entries.size() < MAX_NODES || entries.containsKey(name)) {
        receive(name, report.json());
      }
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
