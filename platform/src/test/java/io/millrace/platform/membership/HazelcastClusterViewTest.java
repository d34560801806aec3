package io.millrace.platform.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.millrace.platform.clock.SystemClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class HazelcastClusterViewTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final String cluster = "test-" + UUID.randomUUID();
  private final List<HazelcastClusterView> views = new ArrayList<>();
  private final NodeKeys keys = new NodeKeys();
  private final List<Wire> wires = new ArrayList<>();

  @AfterEach
  void stop() {
    views.forEach(HazelcastClusterView::stop);
    wires.forEach(Wire::close);
  }

  @Test
  void publishedEntriesReachOtherMembersUntilTheMemberFallsSilent() throws IOException {
    startThree();
    awaitAllHearAll();
    assertThat(views.get(1).entries("load").get("q0").json()).isEqualTo("{\"from\":0}");

    views.get(0).stop();

    views.get(0).publish("load", "q0", "{}");
    views.get(0).withdraw("load", "q0");
    assertThat(views.get(0).entries("load")).isEmpty();
    await()
        .atMost(TIMEOUT)
        .until(
            () -> {
              sayAll();
              return hears(1, Set.of("q1", "q2")) && hears(2, Set.of("q1", "q2"));
            });
  }

  @Test
  void withdrawnEntriesDisappearBeforeTheyAreStale() throws IOException {
    startThree();
    awaitAllHearAll();

    views.get(1).withdraw("load", "q1");

    await()
        .atMost(ClusterView.STALE_AFTER.minusSeconds(1))
        .until(() -> !views.get(2).entries("load").containsKey("q1"));
  }

  @Tag("drill")
  @Test
  void memberThatShutDownIsStartedAgainAndHeardAgain() throws IOException {
    List<Integer> ports = startThree();
    awaitAllHearAll();

    memberAt(ports.get(0)).getLifecycleService().terminate();
    assertThat(views.get(0).entries("load")).isEmpty();

    awaitAllHearAll();
  }

  @Test
  void memberThatCannotStartTriesAgainUntilItCan() throws IOException {
    HazelcastClusterView view;
    try (ServerSocket occupied = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      view = view(occupied.getLocalPort(), List.of(), null);
      view.start();
      view.publish("load", "q0", "{}");
      assertThat(view.entries("load")).isEmpty();
    }
    await()
        .atMost(TIMEOUT)
        .until(
            () -> {
              view.publish("load", "q0", "{}");
              return view.entries("load").containsKey("q0");
            });
  }

  @Test
  void viewsJoinTheMembersThatAreNamedWhileTheyRun() {
    for (int i = 0; i < 3; i++) {
      view(0, List.of(), null).start();
    }
    await()
        .atMost(TIMEOUT)
        .until(() -> views.stream().allMatch(view -> view.address().isPresent()));
    List<String> first = List.of(views.get(0).address().orElseThrow());

    views.get(1).join(first);
    views.get(2).join(first);

    awaitAllHearAll();
  }

  @Test
  void aViewThatNoMemberIsNamedToStartsAlone() {
    HazelcastClusterView view = view(0, List.of(), null);

    view.start();

    await()
        .atMost(TIMEOUT)
        .until(
            () -> {
              view.publish("load", "q0", "{}");
              return view.entries("load").containsKey("q0");
            });
  }

  @Test
  void clustersWithOtherKeysHaveOtherNames() {
    assertThat(keys.verifier().clusterName())
        .isEqualTo(keys.verifier().clusterName())
        .isNotEqualTo(new NodeKeys().verifier().clusterName());
  }

  @Tag("drill")
  @Test
  void afterASplitEachPartContinuesAndAllMergeWhenTheNetworkHeals() throws IOException {
    List<Integer> ports = portsBehindWires();
    List<String> addresses = wires.stream().map(Wire::address).toList();
    for (int i = 0; i < ports.size(); i++) {
      view(ports.get(i), addresses, addresses.get(i)).start();
    }
    awaitAllHearAll();

    wires.forEach(Wire::cut);
    await()
        .atMost(TIMEOUT)
        .until(
            () -> {
              sayAll();
              return hears(0, Set.of("q0")) && hears(1, Set.of("q1")) && hears(2, Set.of("q2"));
            });

    wires.forEach(Wire::mend);
    awaitAllHearAll();
  }

  @Test
  void aViewWithoutAMemberIsEmptyAndDoesNotFail() {
    HazelcastClusterView notStarted =
        new HazelcastClusterView(MembershipSettings.defaults(), new SystemClock());

    notStarted.publish("load", "q1", "{}");
    notStarted.withdraw("load", "q1");

    assertThat(notStarted.entries("load")).isEmpty();
    notStarted.stop();
  }

  private List<Integer> startThree() throws IOException {
    List<Integer> ports = freePorts();
    List<String> members = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    ports.forEach(port -> view(port, members, null).start());
    return ports;
  }

  private HazelcastClusterView view(int port, List<String> members, String publicAddress) {
    MembershipSettings settings = new MembershipSettings(cluster, "127.0.0.1", port, members);
    HazelcastClusterView view =
        new HazelcastClusterView(settings.reachedAt(publicAddress), new SystemClock());
    view.verifyBy(keys.verifier());
    view.signBy(keys.signer("q" + views.size()));
    views.add(view);
    return view;
  }

  private void awaitAllHearAll() {
    Set<String> all = Set.of("q0", "q1", "q2");
    await()
        .atMost(TIMEOUT)
        .until(
            () -> {
              sayAll();
              return hears(0, all) && hears(1, all) && hears(2, all);
            });
  }

  private void sayAll() {
    for (int i = 0; i < views.size(); i++) {
      views.get(i).publish("load", "q" + i, "{\"from\":" + i + "}");
    }
  }

  private boolean hears(int view, Set<String> keys) {
    return views.get(view).entries("load").keySet().equals(keys);
  }

  private HazelcastInstance memberAt(int port) {
    return Hazelcast.getAllHazelcastInstances().stream()
        .filter(member -> member.getConfig().getClusterName().equals(cluster))
        .filter(member -> member.getConfig().getNetworkConfig().getPort() == port)
        .findFirst()
        .orElseThrow();
  }

  private static List<Integer> freePorts() throws IOException {
    try (ServerSocket one = anyPort();
        ServerSocket two = anyPort();
        ServerSocket three = anyPort()) {
      return List.of(one.getLocalPort(), two.getLocalPort(), three.getLocalPort());
    }
  }

  /** The ports stay taken until every wire has its own. */
  private List<Integer> portsBehindWires() throws IOException {
    try (ServerSocket one = anyPort();
        ServerSocket two = anyPort();
        ServerSocket three = anyPort()) {
      for (ServerSocket socket : List.of(one, two, three)) {
        wires.add(new Wire(socket.getLocalPort()));
      }
      return wires.stream().map(Wire::exit).toList();
    }
  }

  private static ServerSocket anyPort() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }
}
