package io.millrace.platform.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.auth0.jwt.JWT;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.topic.ITopic;
import io.millrace.api.node.RequestNumber;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.ReportSigner;
import io.millrace.platform.identity.Role;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/** A Hazelcast member that has joined without being a node of the cluster, as anybody can. */
@Timeout(180)
@TestInstance(Lifecycle.PER_CLASS)
class RogueMemberTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String TOPIC = ClusterView.QUEUE_NODES;
  private static final AtomicBoolean READ = new AtomicBoolean();

  private final String cluster = "rogue-" + UUID.randomUUID();
  private final NodeKeys keys = new NodeKeys();
  private final ReportSigner marker = keys.signer("marker");
  private final List<HazelcastClusterView> views = new ArrayList<>();
  private final List<Integer> ports = new ArrayList<>();
  private final Queue<String> overheard = new ConcurrentLinkedQueue<>();
  private HazelcastInstance rogue;
  private ITopic<Object> topic;
  private UUID listener;
  private int marks;

  /** A class of the attacker's choice, with code that deserialization would run. */
  private static final class Planted implements Serializable, Callable<String> {
    private static final long serialVersionUID = 1L;

    private void readObject(ObjectInputStream in) throws IOException {
      READ.set(true);
    }

    @Override
    public String call() {
      READ.set(true);
      return "done";
    }
  }

  @BeforeAll
  void join() throws IOException {
    try (ServerSocket one = any();
        ServerSocket two = any()) {
      ports.addAll(List.of(one.getLocalPort(), two.getLocalPort()));
    }
    List<String> members = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    for (int i = 0; i < 2; i++) {
      HazelcastClusterView view =
          new HazelcastClusterView(
              new MembershipSettings(cluster, "127.0.0.1", ports.get(i), members),
              new SystemClock());
      view.verifyBy(keys.verifier());
      view.signBy(keys.signer("q" + i));
      view.start();
      views.add(view);
    }
    // Members do not look for the rogue, so it comes last.
    await().atMost(TIMEOUT).until(this::allAreHeard);
    rogue = Hazelcast.newHazelcastInstance(intruder(members));
    topic = rogue.getTopic("view-" + TOPIC);
  }

  @BeforeEach
  void overhear() {
    READ.set(false);
    listener =
        topic.addMessageListener(
            message -> {
              if (message.getMessageObject() instanceof String text) {
                overheard.add(text);
              }
            });
    await().atMost(TIMEOUT).until(() -> allAreHeard() && !overheard.isEmpty());
  }

  @AfterEach
  void stopListening() {
    topic.removeMessageListener(listener);
    overheard.clear();
  }

  @AfterAll
  void leave() {
    rogue.getLifecycleService().terminate();
    views.forEach(HazelcastClusterView::stop);
  }

  @Test
  void reportsThatNoQueueNodeSignedChangeNothing() {
    topic.publish("q0\n{\"forged\":true}");
    topic.publish("q0\n");
    topic.publish("no report");
    topic.publish("");
    topic.publish(keys.signer(Role.EXECUTION_NODE, "q0").sign(TOPIC, "{\"forged\":true}"));
    topic.publish(keys.signer("q0").sign("another-topic", "{\"forged\":true}"));
    topic.publish(altered(keys.signer("q0").sign(TOPIC, "{\"forged\":true}")));
    topic.publish(withNoSignature(keys.signer("q0").sign(TOPIC, "{\"forged\":true}")));

    onlyTheNodesOwnReportsAreHeard();
  }

  /** Its number is the highest, so that the node would not be heard again. */
  @Test
  void aReportOrWithdrawalThatAnotherClusterCertifiedChangesNothing() {
    ReportSigner foreign =
        new ReportSigner(
            new NodeKeys().credential(Role.QUEUE_NODE, "q0"),
            () -> new RequestNumber(Long.MAX_VALUE, Long.MAX_VALUE));
    for (String forged : List.of("{\"forged\":true}", "")) {
      topic.publish(foreign.sign(TOPIC, forged));
      awaitMark();
      await().atMost(TIMEOUT).until(this::allAreHeard);
      onlyTheNodesOwnReportsAreHeard();
    }
  }

  @Test
  void aNodeWhoseIdentityWasWithdrawnIsNotHeardAnyMore() {
    NodeKeys.Withdrawable stolen = keys.withdrawable("q8", Long.MAX_VALUE - 1);
    topic.publish(stolen.signer().sign(TOPIC, "{\"before\":true}"));
    awaitMark();
    assertThat(views.get(1).entries(TOPIC).get("q8").json()).isEqualTo("{\"before\":true}");

    stolen.withdrawal().run();
    topic.publish(stolen.signer().sign(TOPIC, "{\"forged\":true}"));
    onlyTheNodesOwnReportsAreHeard();

    // The node with its new identity is heard, whatever the stolen one has counted.
    topic.publish(keys.signer("q8").sign(TOPIC, "{\"after\":true}"));
    awaitMark();
    assertThat(views.get(1).entries(TOPIC).get("q8").json()).isEqualTo("{\"after\":true}");
  }

  @Test
  void aReportOfFormerTimesIsNotHeardAgain() {
    await()
        .atMost(TIMEOUT)
        .until(() -> allAreHeard() && overheard.stream().anyMatch(text -> isOf("q0", text)));
    String before = overheard.stream().filter(text -> isOf("q0", text)).findFirst().orElseThrow();
    views.get(0).withdraw(TOPIC, "q0");
    await().atMost(TIMEOUT).until(() -> !views.get(1).entries(TOPIC).containsKey("q0"));

    topic.publish(before);
    awaitMark();

    assertThat(views.get(1).entries(TOPIC)).doesNotContainKey("q0");
  }

  @Test
  void aNodeThatLiesAboutItsNumberSpeaksOnlyForItself() {
    ReportSigner lying =
        new ReportSigner(
            keys.credential(Role.QUEUE_NODE, "q9"),
            () -> new RequestNumber(Long.MAX_VALUE, Long.MAX_VALUE));
    topic.publish(lying.sign(TOPIC, "{\"name\":\"q0\"}"));
    awaitMark();

    report();
    awaitMark();
    assertThat(views.get(1).entries(TOPIC).get("q0").json()).isEqualTo("{\"of\":0}");
    assertThat(views.get(1).entries(TOPIC)).containsKey("q9");
  }

  @Test
  void whatIsTooLargeOrTooManyIsNotKept() {
    String large = "x".repeat(3 << 20);
    topic.publish(large);
    topic.publish(keys.signer("q0").sign(TOPIC, "{\"forged\":\"" + large + "\"}"));
    for (int i = 0; i < 5_000; i++) {
      topic.publish("invented-" + i + "\n{}");
    }

    onlyTheNodesOwnReportsAreHeard();
  }

  @Test
  void foreignClassesAreNeitherReadNorRun() {
    // The rogue would read its own messages.
    topic.removeMessageListener(listener);
    topic.publish(new Planted());
    topic.publish(new ArrayList<>(List.of(new Planted())));
    topic.publish(7L);
    rogue
        .getCluster()
        .getMembers()
        .forEach(
            member -> {
              if (!member.localMember()) {
                assertThatThrownBy(
                        () ->
                            rogue
                                .getExecutorService("any")
                                .submitToMember(new Planted(), member)
                                .get())
                    .isInstanceOf(ExecutionException.class);
              }
            });

    onlyTheNodesOwnReportsAreHeard();
    assertThat(READ).isFalse();
  }

  @Test
  void whatTheRogueStoresInTheClusterItStoresAlone() {
    IMap<Integer, byte[]> map = rogue.getMap("anything");
    for (int i = 0; i < 200; i++) {
      map.put(i, new byte[10_000]);
    }

    assertThat(map.getLocalMapStats().getOwnedEntryCount()).isEqualTo(200);
    for (int port : ports) {
      var kept = memberAt(port).getMap("anything").getLocalMapStats();
      assertThat(kept.getOwnedEntryCount() + kept.getBackupEntryCount()).isZero();
    }
  }

  @Test
  void membersSpeakNoOtherProtocolAndUseNoDiscovery() throws IOException {
    for (int port : ports) {
      JoinConfig join = memberAt(port).getConfig().getNetworkConfig().getJoin();
      assertThat(join.getTcpIpConfig().isEnabled()).isTrue();
      assertThat(join.getMulticastConfig().isEnabled()).isFalse();
      assertThat(join.getAutoDetectionConfig().isEnabled()).isFalse();
      assertThat(join.isAutoDetectionEnabled()).isFalse();
      assertThat(memberAt(port).getCluster().getLocalMember().getSocketAddress().getAddress())
          .isEqualTo(InetAddress.getLoopbackAddress());
      for (String asked :
          List.of("GET /hazelcast/health HTTP/1.1\r\nHost: localhost\r\n\r\n", "version\r\n")) {
        assertThat(answer(port, asked)).isEmpty();
      }
    }
  }

  private void onlyTheNodesOwnReportsAreHeard() {
    awaitMark();
    for (HazelcastClusterView view : views) {
      view.entries(TOPIC)
          .forEach(
              (name, entry) -> {
                assertThat(name).isIn("q0", "q1", "q8", "q9", "marker");
                assertThat(entry.json()).doesNotContainIgnoringCase("forged");
              });
    }
  }

  /** Messages of one member arrive in order: after this, all earlier ones of the rogue have. */
  private void awaitMark() {
    String mark = "{\"mark\":" + marks++ + "}";
    topic.publish(marker.sign(TOPIC, mark));
    await()
        .atMost(TIMEOUT)
        .until(
            () ->
                views.stream()
                    .map(view -> view.entries(TOPIC).get("marker"))
                    .allMatch(entry -> entry != null && entry.json().equals(mark)));
  }

  private boolean allAreHeard() {
    report();
    return views.stream()
        .map(view -> view.entries(TOPIC))
        .allMatch(entries -> entries.keySet().containsAll(Set.of("q0", "q1")));
  }

  private void report() {
    for (int i = 0; i < views.size(); i++) {
      views.get(i).publish(TOPIC, "q" + i, "{\"of\":" + i + "}");
    }
  }

  private static boolean isOf(String node, String text) {
    return JWT.decode(text).getSubject().equals(node);
  }

  private static String altered(String signed) {
    String[] parts = signed.split("\\.", 3);
    String content = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
    String other = content.replace("forged", "FORGED");
    assertThat(other).isNotEqualTo(content);
    return parts[0] + "." + encoded(other) + "." + parts[2];
  }

  private static String withNoSignature(String signed) {
    String[] parts = signed.split("\\.", 3);
    String header = new String(Base64.getUrlDecoder().decode(parts[0]), StandardCharsets.UTF_8);
    return encoded(header.replace("ES256", "none")) + "." + parts[1] + ".";
  }

  private static String encoded(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private HazelcastInstance memberAt(int port) {
    return Hazelcast.getAllHazelcastInstances().stream()
        .filter(member -> member.getConfig().getClusterName().equals(cluster))
        .filter(member -> member.getConfig().getNetworkConfig().getPort() == port)
        .findFirst()
        .orElseThrow();
  }

  private Config intruder(List<String> members) {
    Config config = new Config();
    config.setClusterName(cluster);
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    // The number of partitions must be the cluster's.
    config.setProperty("hazelcast.partition.count", "31");
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setMembers(members);
    return config;
  }

  /** What the port answers until it closes the connection. */
  private static String answer(int port, String asked) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(asked.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  private static ServerSocket any() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }
}
