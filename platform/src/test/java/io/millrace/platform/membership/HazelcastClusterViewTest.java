package io.millrace.platform.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.platform.time.SystemClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class HazelcastClusterViewTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void whatOneMemberSaysTheOtherSeesUntilItFallsSilentAndNobodyFailsForIt() throws IOException {
    String cluster = "test-" + UUID.randomUUID();
    int first = freePort();
    int second = freePort();
    List<String> members = List.of("127.0.0.1:" + first, "127.0.0.1:" + second);
    HazelcastClusterView one = view(cluster, first, members);
    HazelcastClusterView two = view(cluster, second, members);
    try {
      one.start();
      two.start();
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                one.publish("load", "q1", "{\"busy\":0.5}");
                return two.entries("load").containsKey("q1");
              });
      assertThat(two.entries("load").get("q1").json()).isEqualTo("{\"busy\":0.5}");

      one.stop();

      one.publish("load", "q1", "{}");
      one.withdraw("load", "q1");
      assertThat(one.entries("load")).isEmpty();
      await().atMost(PATIENCE).until(() -> two.entries("load").isEmpty());
    } finally {
      one.stop();
      two.stop();
    }
  }

  @Test
  void aViewWhoseMemberIsNotUpYetIsEmptyAndFailsNobody() {
    HazelcastClusterView notStarted =
        new HazelcastClusterView(MembershipSettings.defaults(), new SystemClock());

    notStarted.publish("load", "q1", "{}");
    notStarted.withdraw("load", "q1");

    assertThat(notStarted.entries("load")).isEmpty();
    notStarted.stop();
  }

  private static HazelcastClusterView view(String cluster, int port, List<String> members) {
    return new HazelcastClusterView(
        new MembershipSettings(cluster, "127.0.0.1", port, members), new SystemClock());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
