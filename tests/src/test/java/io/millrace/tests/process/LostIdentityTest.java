package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.node.NodeIdentityView;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.cli.server.EmbeddedCluster;
import io.millrace.cli.server.EmbeddedCluster.UpSettings;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.data.NodeIdFile;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.NodeCalls;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.tests.cluster.Folders;
import io.millrace.tests.cluster.NodeSigner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of one machine that have lost their files, or whose identity was withdrawn. */
class LostIdentityTest {
  private static final Duration LONG = Duration.ofMinutes(3);

  @TempDir Path folder;
  private EmbeddedCluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.stop();
    }
  }

  @Test
  void nodesWhoseFoldersWereRemovedReturnUnderTheirNamesByThemselves() throws Exception {
    start();
    await("every node is registered").atMost(LONG).until(() -> live().size() == 5);
    Map<String, UUID> before = identities();
    cluster.stop();
    for (String name : List.of("e2", "q2", "lb1")) {
      Folders.delete(folder.resolve(name));
    }

    start();
    await("every node is registered with the identity that it has now")
        .atMost(LONG)
        .untilAsserted(
            () -> {
              assertThat(live()).containsExactly("e1", "e2", "lb1", "q1", "q2");
              Map<String, UUID> after = identities();
              assertThat(after).containsOnlyKeys(before.keySet());
              after.forEach(
                  (name, id) -> assertThat(NodeIdFile.read(folder.resolve(name))).contains(id));
            });
    assertThat(identities()).contains(entry("e1", before.get("e1")), entry("q1", before.get("q1")));
    assertThat(identities().values()).doesNotContain(before.get("e2"), before.get("q2"));
  }

  @Test
  void aWithdrawnNodeStaysOutUntilItsTwoFilesAreDeleted() throws Exception {
    start();
    await("every node is registered").atMost(LONG).until(() -> live().size() == 5);
    UUID before = identities().get("q1");
    central().withdrawIdentity("q1");
    cluster.stop();

    start();
    await("the others are registered")
        .atMost(LONG)
        .until(() -> live().equals(List.of("e1", "e2", "lb1", "q2")));
    assertRefused();
    cluster.stop();
    // The key alone changes nothing: its ID stays refused.
    Files.delete(folder.resolve("q1/node.identity"));
    start();
    assertRefused();
    cluster.stop();

    Files.delete(folder.resolve("q1/node.identity"));
    Files.delete(folder.resolve("q1/node-id"));
    start();
    await("every node is registered").atMost(LONG).until(() -> live().size() == 5);
    assertThat(identities().get("q1")).isNotNull().isNotEqualTo(before);
  }

  private void start() {
    cluster =
        new EmbeddedCluster(
            new UpSettings(folder, 0, 2, 2, 2, false, Optional.empty()),
            new JdkTransport(),
            new SystemClock());
    cluster.start();
  }

  private void assertRefused() {
    assertThatThrownBy(() -> as("q1").topology(null, Duration.ZERO))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN))
        .hasMessageContaining("delete its files node.identity and node-id")
        .hasMessageContaining("on a machine with the cluster's key, cluster.key, only restart it");
    assertThat(identities()).doesNotContainKey("q1");
  }

  private CentralClient as(String node) {
    Path tokens = cluster.tokenFile(Role.ADMIN).getParent();
    return new NodeCalls(
            new NodeSigner(tokens).credential(folder.resolve(node)),
            KeyFiles.publicKey(tokens.resolve(KeyFiles.PUBLIC)),
            List.of(cluster.address()),
            new JdkTransport(),
            new SystemClock())
        .central();
  }

  private CentralClient central() {
    String token = TokenFiles.read(cluster.tokenFile(Role.ADMIN));
    return new CentralClient(
        new ApiClient(new JdkTransport(), new Endpoints(List.of(cluster.address())), () -> token));
  }

  /** The names of the nodes that are heard, in order. */
  private List<String> live() {
    var overview = central().overview();
    return Stream.of(
            overview.queueNodes().stream().filter(QueueNodeView::live).map(QueueNodeView::name),
            overview.executionNodes().stream()
                .filter(node -> !node.lost())
                .map(node -> node.name()),
            overview.balancers().stream().map(balancer -> balancer.name()))
        .flatMap(names -> names)
        .sorted()
        .toList();
  }

  private Map<String, UUID> identities() {
    return central().identities().stream()
        .collect(Collectors.toMap(NodeIdentityView::name, NodeIdentityView::id));
  }
}
