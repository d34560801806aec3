package io.millrace.platform.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TopologyFollowerTest {

  private final FakeManager manager = new FakeManager();
  private final Queue<Topology> heard = new ConcurrentLinkedQueue<>();
  @TempDir Path folder;
  private TopologyFollower follower;

  @BeforeEach
  void make() {
    follower = follower();
  }

  @AfterEach
  void stop() {
    follower.stop();
  }

  @Test
  void everyChangeIsHeardAndAskedForByTheLastVersion() {
    follower.start();
    manager.answers.add(topology("1"));
    manager.answers.add(topology("2"));

    await().until(() -> heard.size() == 2);
    assertThat(heard).containsExactly(topology("1"), topology("2"));
    assertThat(follower.current()).contains(topology("2"));
    assertThat(follower.problem()).isEmpty();
    await().until(() -> manager.asked.size() >= 3);
    assertThat(manager.asked).startsWith("after=", "after=1", "after=2");
  }

  @Test
  void nothingIsKnownBeforeTheFirstMessage() {
    assertThat(follower.current()).isEmpty();
    assertThat(follower.problem()).isPresent();
  }

  @Test
  void theLastTopologyIsKnownAtOnceAfterARestartAlthoughNoManagerAnswers() {
    follower.start();
    manager.answers.add(topology("1"));
    await().until(() -> Files.exists(folder.resolve("topology.json")));
    follower.stop();

    manager.away = true;
    follower = follower();
    follower.start();

    assertThat(follower.current()).contains(topology("1"));
  }

  /** What a node reports after it has followed a topology must hold after a crash, too. */
  @Test
  void aTopologyIsRememberedBeforeItIsFollowed() {
    Queue<Optional<Topology>> remembered = new ConcurrentLinkedQueue<>();
    follower = follower(followed -> remembered.add(memory().read()));
    follower.start();
    manager.answers.add(topology("1"));
    manager.answers.add(topology("2"));

    await().until(() -> remembered.size() == 2);
    assertThat(remembered).containsExactly(Optional.of(topology("1")), Optional.of(topology("2")));
  }

  /** A central manager that was frozen answers with what it knew before. */
  @Test
  void aDeletionIsRememberedAfterAnOlderTopologyWasFollowed() {
    follower.start();
    QueueDeletion closed = deletion(3, DeletionMode.DRAIN, false);
    manager.answers.add(deleted("2", 3, true));
    manager.answers.add(defined("1", 3));
    manager.answers.add(with("0", queue(2), List.of(deletion(2, DeletionMode.DISCARD, true))));
    await().until(() -> heard.size() == 3);
    assertThat(follower.current().orElseThrow().version()).isEqualTo("0");
    assertThat(follower.current().orElseThrow().deletions()).containsExactly(closed);

    manager.away = true;
    follower.stop();
    follower = follower();
    follower.start();

    assertThat(follower.current().orElseThrow().deletions())
        .as("closed, and nothing of it is dropped")
        .containsExactly(closed);
  }

  @Test
  void aRestartedNodeThatAnOlderTopologyReachesFirstStillRefusesADeletedQueue() {
    remember(deleted("2", 3, true));
    follower.start();
    manager.answers.add(defined("1", 3));
    await().until(() -> heard.size() == 2);

    assertThat(heard)
        .extracting(Topology::deletions)
        .containsExactly(List.of(), List.of(deletion(3, DeletionMode.DRAIN, false)));
  }

  /** Central managers list a deletion for some weeks only. */
  @Test
  void aDeletionThatIsNotListedAnyMoreIsNotCarriedOutAgainUnlessItsVersionIsBack()
      throws IOException {
    follower.start();
    QueueDeletion done = deletion(3, DeletionMode.DISCARD, true);
    manager.answers.add(deleted("1", 3, true));
    manager.answers.add(topology("2"));
    manager.answers.add(topology("3"));
    await().until(() -> heard.size() == 3);
    assertThat(heard)
        .extracting(Topology::deletions)
        .containsExactly(List.of(done), List.of(), List.of());
    assertThat(written().deletions()).containsExactly(done);

    manager.answers.add(defined("4", 3));
    await().until(() -> heard.size() == 4);
    assertThat(follower.current().orElseThrow().deletions())
        .containsExactly(deletion(3, DeletionMode.DRAIN, false));
  }

  /** After a restoration the central managers do not know a later deletion any more. */
  @Test
  void aLoadBalancerFollowsWhatItReceivesAlsoAfterARestart() {
    follower = follower(TopologyMemory.ofLoadBalancer(folder), heard::add);
    follower.start();
    manager.answers.add(deleted("1", 3, true));
    manager.answers.add(defined("2", 3));
    Topology again = with("3", queue(4), List.of(deletion(3, DeletionMode.DISCARD, true)));
    manager.answers.add(again);
    await().until(() -> heard.size() == 3);
    assertThat(heard).containsExactly(deleted("1", 3, true), defined("2", 3), again);

    await().until(() -> manager.asked.contains("after=3"));
    manager.away = true;
    follower.stop();
    follower = follower(TopologyMemory.ofLoadBalancer(folder), heard::add);
    follower.start();
    assertThat(follower.current()).contains(again);
  }

  /** A node that has given a slot away must not serve it again. */
  @Test
  void aQueueNodeFollowsNoWeightRowThatIsOlderThanItHasFollowed() {
    follower.start();
    manager.answers.add(weighed("1", 3, 5));
    await().until(() -> heard.size() == 1);
    manager.answers.add(weighed("2", 3, 4));
    await().until(() -> heard.size() == 2);
    assertThat(rowVersion()).isEqualTo(5);

    follower.stop();
    follower = follower();
    follower.start();
    manager.answers.add(weighed("2", 2, 3));
    await().until(() -> heard.size() == 4);
    assertThat(rowVersion()).as("also after a restart").isEqualTo(5);
    manager.answers.add(weighed("3", 3, 6));
    await().until(() -> rowVersion() == 6);
  }

  @Test
  void aQueueThatWasDeletedAndDefinedAgainIsFollowedWithItsNewRow() {
    follower.start();
    manager.answers.add(weighed("1", 3, 500));
    manager.answers.add(topology("2"));
    manager.answers.add(weighed("3", 3, 1));
    await().until(() -> heard.size() == 3);
    assertThat(rowVersion()).as("its deletion was followed").isEqualTo(1);

    manager.answers.add(weighed("4", 3, 500));
    manager.answers.add(weighed("5", 5, 1));
    await().until(() -> heard.size() == 5);
    assertThat(rowVersion()).as("its deletion was missed").isEqualTo(1);
  }

  @Test
  void aLoadBalancerFollowsAnyWeightRow() {
    follower = follower(TopologyMemory.ofLoadBalancer(folder), heard::add);
    follower.start();
    manager.answers.add(weighed("1", 3, 5));
    manager.answers.add(weighed("2", 3, 4));
    await().until(() -> heard.size() == 2);
    assertThat(rowVersion()).isEqualTo(4);
  }

  @Test
  void aRefreshFollowsWhatACentralManagerAnswersNow() {
    manager.answers.add(topology("1"));
    follower.refresh();
    assertThat(follower.current()).contains(topology("1"));
    assertThat(heard).containsExactly(topology("1"));

    manager.away = true;
    assertThatThrownBy(follower::refresh).isInstanceOf(MillraceException.class);
  }

  private long rowVersion() {
    return follower.current().orElseThrow().weights().get(0).version();
  }

  private static Topology weighed(String version, int definition, long row) {
    return new Topology(
        version,
        queue(definition),
        List.of(new QueueWeights("alert", row, Map.of("q1", 1000))),
        List.of(),
        List.of());
  }

  @Test
  void aDeletionThatCannotBeRememberedIsNotFollowedUntilItCan() throws IOException {
    Path blocked = folder.resolve("topology.json.next");
    Files.createDirectory(blocked);
    follower.start();
    manager.answers.add(deleted("2", 3, false));
    await().until(() -> heard.size() == 1);
    assertThat(follower.current().orElseThrow().deletions()).isEmpty();

    manager.answers.add(deleted("2", 3, false));
    await().until(() -> manager.asked.size() >= 2);
    assertThat(manager.asked).containsOnly("after=");
    Files.delete(blocked);
    manager.answers.add(deleted("2", 3, false));

    await()
        .until(
            () -> follower.current().orElseThrow().deletions(), deletions -> !deletions.isEmpty());
    assertThat(written().deletions()).hasSize(1);
  }

  @Test
  void aDeletionThatIsFollowedGoesOnWhileTheTopologyCannotBeWritten() throws IOException {
    follower.start();
    manager.answers.add(with("1", queue(3), List.of(deletion(3, DeletionMode.DISCARD, false))));
    await().until(() -> heard.size() == 1);
    Files.createDirectory(folder.resolve("topology.json.next"));
    manager.answers.add(deleted("2", 3, true));
    await().until(() -> heard.size() == 2);
    assertThat(follower.current()).contains(deleted("2", 3, true));
  }

  @Test
  void aDeletionIsForgottenWhenTheQueueHasALaterVersion() {
    remember(deleted("1", 3, true));
    remember(defined("2", 3));
    assertThat(memory().read().orElseThrow().deletions()).hasSize(1);
    remember(defined("3", 4));
    assertThat(memory().read()).contains(defined("3", 4));
  }

  @Test
  void noMoreDeletionsAreRememberedThanAManagerLists() throws IOException {
    for (int round = 0; round < 3; round++) {
      int from = round * 600;
      remember(
          with(
              "1",
              List.of(),
              IntStream.range(from, from + 600)
                  .mapToObj(n -> new QueueDeletion("q" + n, 1, DeletionMode.DISCARD, true))
                  .toList()));
    }
    assertThat(written().deletions())
        .hasSize(1_600)
        .extracting(QueueDeletion::queue)
        .contains("q1799", "q600");
  }

  private static Topology deleted(String version, int of, boolean done) {
    return with(version, List.of(), List.of(deletion(of, DeletionMode.DISCARD, done)));
  }

  private static QueueDeletion deletion(int version, DeletionMode mode, boolean done) {
    return new QueueDeletion("alert", version, mode, done);
  }

  private static Topology defined(String version, int of) {
    return with(version, queue(of), List.of());
  }

  private static List<VersionedQueue> queue(int version) {
    QueueDefinition alert =
        new QueueDefinition("alert", 0, 0, 0, null, 0, null, 0, null, null, 0, null, null);
    return List.of(new VersionedQueue(alert, version));
  }

  private static Topology with(
      String version, List<VersionedQueue> queues, List<QueueDeletion> deletions) {
    return new Topology(
        version, queues, List.of(), List.of(), List.of(), List.of(), List.of(), deletions);
  }

  @Test
  void anOutageOfAllManagersChangesNothing() {
    follower.start();
    manager.answers.add(topology("1"));
    await().until(() -> heard.size() == 1);

    manager.away = true;
    manager.answers.add(topology("2"));
    int before = manager.asked.size();
    await().until(() -> manager.asked.size() > before + 1);
    assertThat(follower.current()).contains(topology("1"));
    manager.away = false;
    manager.answers.add(topology("3"));

    await().until(() -> follower.current().equals(Optional.of(topology("3"))));
  }

  @Test
  void aWithdrawnNodeIsRefusedAlsoDuringAnOutageAndAfterARestart() {
    Principal valid = Principal.of(new NodeIdentity(Role.QUEUE_NODE, "q2", new UUID(2, 2)));
    Principal withdrawn = Principal.of(new NodeIdentity(Role.QUEUE_NODE, "q3", new UUID(3, 3)));
    follower.start();
    manager.answers.add(topology("1"));
    await().until(() -> heard.size() == 1);
    follower.requireValid(withdrawn);

    manager.answers.add(
        new Topology(
            "2",
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(withdrawn.node().orElseThrow()),
            List.of()));
    await().until(() -> heard.size() == 2);
    manager.away = true;
    assertRefuses(withdrawn);
    follower.requireValid(valid);
    follower.requireValid(Principal.of(Role.PRODUCER, "q3"));

    await().until(() -> manager.asked.contains("after=2"));
    follower.stop();
    follower = follower();
    follower.start();
    assertRefuses(withdrawn);
    follower.requireValid(valid);
  }

  private void assertRefuses(Principal node) {
    assertThatThrownBy(() -> follower.requireValid(node))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
  }

  @Test
  void anUnreadableMemoryIsIgnored() throws IOException {
    Files.writeString(folder.resolve("topology.json"), "{broken");

    follower.start();

    assertThat(follower.current()).isEmpty();
    manager.answers.add(topology("1"));
    await().until(() -> heard.size() == 1);
  }

  private TopologyFollower follower() {
    return follower(heard::add);
  }

  private TopologyFollower follower(Consumer<Topology> listener) {
    return follower(memory(), listener);
  }

  private TopologyFollower follower(TopologyMemory memory, Consumer<Topology> listener) {
    Endpoints endpoints = new Endpoints(List.of(URI.create("http://127.0.0.1:1")));
    CentralClient central = new CentralClient(new ApiClient(manager, endpoints, () -> "token"));
    return new TopologyFollower("q1", central, memory, listener);
  }

  private void remember(Topology received) {
    memory().write(memory().merged(received));
  }

  private Topology written() throws IOException {
    return Json.read(Files.readAllBytes(folder.resolve("topology.json")), Topology.class);
  }

  private TopologyMemory memory() {
    return TopologyMemory.ofQueueNode(folder);
  }

  private static Topology topology(String version) {
    return new Topology(version, List.of(), List.of(), List.of(), List.of());
  }

  /** Answers each long poll with the next prepared topology, and waits while there is none. */
  private static final class FakeManager implements HttpTransport {
    private final BlockingQueue<Topology> answers = new LinkedBlockingQueue<>();
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private volatile boolean away;

    @Override
    public HttpAnswer send(HttpCall call) throws IOException {
      asked.add(call.uri().getQuery().replaceAll("&.*", ""));
      if (away) {
        throw new NothingSentException("away", null);
      }
      try {
        Topology next = answers.take();
        if (away) {
          throw new NothingSentException("went away", null);
        }
        return new HttpAnswer(
            200, Map.of("content-type", "application/json"), Json.writeBytes(next));
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new IOException(stopped);
      }
    }

    @Override
    public InputStream stream(HttpCall call) {
      throw new UnsupportedOperationException("nobody streams here");
    }
  }
}
