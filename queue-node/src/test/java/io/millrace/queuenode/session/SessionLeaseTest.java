package io.millrace.queuenode.session;

import static io.millrace.queuenode.session.SessionNode.envelope;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.session.RetirementRequest;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionWorkerState;
import io.millrace.queuenode.segment.SegmentResponses;
import io.millrace.queuenode.session.SessionNode.Worker;
import io.millrace.queuenode.session.store.SessionStore.Effects;
import io.millrace.queuenode.store.Change;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node serves sessions within its lease only, which is looked at before and after the force. */
class SessionLeaseTest {
  @TempDir Path folder;
  private SessionNode node;
  private volatile Runnable atForce = () -> {};

  @BeforeEach
  void start() {
    node =
        new SessionNode(
            folder,
            SessionDefinition.of("/jobId"),
            store -> new HookedStore(store, () -> atForce.run()));
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private void loseLease() {
    node.clock.advance(Duration.ofDays(2));
  }

  private static void awaited(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void refused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
  }

  @Test
  void outsideTheLeaseEverythingIsRefused() {
    Worker worker = node.worker("w").employed();
    node.event("1", "a");
    worker.take();
    loseLease();
    HttpAnswer put = node.events(envelope("1", "b"));
    assertThat(put.status()).isEqualTo(503);
    assertThat(put.headers()).containsEntry("retry-after", "1");
    refused(worker::heartbeat);
    refused(worker::take);
    refused(() -> worker.done("1", 1));
    refused(() -> worker.completes("1", 1));
    refused(worker::register);
    refused(worker::leaves);
    refused(
        () ->
            node.sessions.retire(
                SessionNode.QUEUE, worker.id, new RetirementRequest(false), "ann"));
    assertThat(node.sessions.show(SessionNode.QUEUE, "1").session().acknowledged()).isZero();

    node.renewLease();
    assertThat(node.events(envelope("1", "b")).status()).isEqualTo(200);
    assertThat(worker.done("1", 1).answers()).hasSize(1);
  }

  @Test
  void aPutWhoseForceOutlastsTheLeaseIsNotAnsweredAsStored() {
    atForce = this::loseLease;
    HttpAnswer put = node.events(envelope("1", "a"));
    assertThat(put.status()).isEqualTo(503);
    assertThat(put.text()).contains("send it again, with the same names");
    atForce = () -> {};
    node.renewLease();
    assertThat(node.events(envelope("1", "a")).text()).contains("\"repeated\":true");
  }

  @Test
  void aPollWhoseForceOutlastsTheLeaseDeliversNothing() {
    Worker worker = node.worker("w").employed();
    node.event("1", "a");
    atForce = this::loseLease;
    refused(worker::take);
    atForce = () -> {};
    node.renewLease();
    assertThat(worker.take()).as("the poll is repeated").containsExactly("a");
  }

  @Test
  void aCompletionWhoseForceOutlastsTheLeaseIsNotConfirmed() {
    Worker worker = node.worker("w").employed();
    node.event("1", "a");
    worker.take();
    atForce = this::loseLease;
    refused(() -> worker.completes("1", 1));
  }

  /** Another node may have the slot when it is its turn. */
  @Test
  void aChangeThatWaitsForOthersUntilTheLeaseIsOverChangesNothing() {
    CountDownLatch submitted = new CountDownLatch(1);
    AtomicBoolean changed = new AtomicBoolean();
    SessionCommits commits = node.sessions.commits();
    commits.withinLater(
        Change.of(
            s -> {
              awaited(submitted);
              loseLease();
              return true;
            }),
        done -> Effects.NONE);
    CompletableFuture<Boolean> later =
        commits.withinLater(
            Change.of(s -> changed.compareAndSet(false, true)), done -> Effects.NONE);
    submitted.countDown();
    refused(() -> SegmentResponses.of(later));
    assertThat(changed).isFalse();
  }

  @Test
  void workersThatWereRefusedMeanwhileAreNotRetiredWhenTheLeaseIsBack() {
    Worker worker = node.worker("w").employed();
    node.event("1", "a");
    worker.take();
    loseLease();
    node.renewLease();
    node.look.look();
    assertThat(node.worker(worker.id).state()).isNotEqualTo(SessionWorkerState.RETIRED);
    worker.done("1", 1);
    node.pass(Duration.ofSeconds(80));
    assertThat(node.worker(worker.id).state())
        .as("it was heard of")
        .isEqualTo(SessionWorkerState.ABSENT);
    node.pass(Duration.ofMinutes(3));
    assertThat(node.worker(worker.id).state()).isEqualTo(SessionWorkerState.RETIRED);
  }
}
