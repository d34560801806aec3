package io.millrace.platform.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Answers.RETURNS_DEEP_STUBS;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.hazelcast.cluster.Address;
import com.hazelcast.core.HazelcastException;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.core.LifecycleService;
import com.hazelcast.topic.ITopic;
import io.millrace.platform.clock.SystemClock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Hazelcast member that leaves while it is used: the view is late, and nobody fails for it. */
class LeavingMemberTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Address ADDRESS =
      new Address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 5701));

  private final Queue<HazelcastInstance> members = new ConcurrentLinkedQueue<>();
  private final HazelcastClusterView view =
      new HazelcastClusterView(
          MembershipSettings.defaults(), new SystemClock(), config -> members.remove());

  @BeforeEach
  void identify() {
    NodeKeys keys = new NodeKeys();
    view.verifyBy(keys.verifier());
    view.signBy(keys.signer("q1"));
  }

  @AfterEach
  void stop() {
    view.stop();
  }

  @Test
  void aStoppingMemberSkipsWhatItCannotPublish() {
    nothingFailsWhenPublishing(new HazelcastInstanceNotActiveException());
  }

  @Test
  void aMergingMemberSkipsWhatItCannotPublish() {
    nothingFailsWhenPublishing(new HazelcastException("merging"));
  }

  private void nothingFailsWhenPublishing(RuntimeException failure) {
    HazelcastInstance member = member(true);
    ITopic<Object> topic = topic(member);
    AtomicInteger tries = new AtomicInteger();
    doAnswer(
            call -> {
              tries.incrementAndGet();
              throw failure;
            })
        .when(topic)
        .publish(any());
    members.add(member);
    view.start();

    await()
        .atMost(TIMEOUT)
        .until(
            () -> {
              view.publish("load", "q1", "{}");
              view.withdraw("load", "q1");
              return tries.get() > 1;
            });

    assertThat(view.entries("load")).isEmpty();
  }

  @Test
  void aMemberThatLeftIsReplacedAndSubscribesAgain() {
    HazelcastInstance left = member(true);
    topic(left);
    HazelcastInstance next = member(true);
    ITopic<Object> topic = topic(next);
    AtomicBoolean subscribed = new AtomicBoolean();
    when(topic.addMessageListener(any()))
        .thenAnswer(
            call -> {
              subscribed.set(true);
              return null;
            });
    members.add(left);
    members.add(next);
    view.start();
    await().atMost(TIMEOUT).until(() -> members.size() == 1);
    assertThat(view.entries("load")).isEmpty();

    LifecycleService gone = left.getLifecycleService();
    when(gone.isRunning()).thenReturn(false);

    await().atMost(TIMEOUT).untilTrue(subscribed);
    assertThat(members).isEmpty();
  }

  private static HazelcastInstance member(boolean running) {
    HazelcastInstance member = mock(HazelcastInstance.class, RETURNS_DEEP_STUBS);
    when(member.getCluster().getLocalMember().getAddress()).thenReturn(ADDRESS);
    LifecycleService lifecycle = mock(LifecycleService.class);
    when(lifecycle.isRunning()).thenReturn(running);
    when(member.getLifecycleService()).thenReturn(lifecycle);
    return member;
  }

  @SuppressWarnings("unchecked") // a mock of a generic interface
  private static ITopic<Object> topic(HazelcastInstance member) {
    ITopic<Object> topic = mock(ITopic.class);
    when(member.getTopic(anyString())).thenReturn(topic);
    return topic;
  }
}
