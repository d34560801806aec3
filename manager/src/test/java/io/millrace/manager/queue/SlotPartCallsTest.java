package io.millrace.manager.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the lost node q3 held of slot 7, which q1 has now, is passed to q1. */
class SlotPartCallsTest {
  private static final Sending SENDING = Sending.to(2);
  private static final Principal ROOT = Principal.of(Role.ADMIN, "root");

  @TempDir Path folder;
  private final SegmentHosts hosts = new SegmentHosts();
  private SlotTable slots =
      SlotTable.of(Map.of("q2", SlotTable.SLOTS))
          .with(List.of(7), one -> new SlotOwner("q1", 2, List.of("q3")));
  private SegmentCalls segments;
  private QueueWorld world;
  private SlotPartCalls parts;

  @BeforeEach
  void q3IsLost() {
    world = new QueueWorld(folder.resolve("database"));
    Path tokens = folder.resolve("tokens");
    KeyFiles.ensure(tokens);
    CallSigner signer = CallSigner.ofCentralManager(KeyFiles.privateKey(tokens));
    segments = new SegmentCalls(new SignedCalls(hosts, signer, new SystemClock()));
    parts =
        new SlotPartCalls(
            world.queues,
            world.nodes,
            segments,
            queue ->
                Optional.ofNullable(slots)
                    .map(table -> new QueueWeights(queue, 1, table.points(), table)));
    world.apply(
        "{kind: queue, name: orders, sessions: {key: order}}\n---\n{kind: queue, name: alert}");
    world.reports("q1", "q2", "q3");
    lose("q3");
    hosts.answers("q1", call -> Map.of());
  }

  @AfterEach
  void close() {
    segments.stop();
    world.close();
  }

  private void lose(String node) {
    world.database.transaction(
        handle -> handle.execute("update node set lost_at = heard_at where name = ?", node));
  }

  private static SlotPage page(String from) {
    return new SlotPage(7, 1, from, SENDING, 0, List.of(), List.of(), null, List.of());
  }

  @Test
  void theOwnerOfTheSlotGetsItSignedByTheCentralManagerWithoutATokenOfThePerson() {
    parts.pass("orders", page("q3"), ROOT);

    assertThat(hosts.calls).hasSize(1);
    HttpCall call = hosts.calls.get(0);
    assertThat(call.uri().toString()).isEqualTo("http://q1:1/v1/queues/orders/slots/7/parts");
    assertThat(call.headers().get("Authorization")).startsWith("Millrace ");
    assertThat(Json.read(new String(call.body(), StandardCharsets.UTF_8), SlotPage.class))
        .isEqualTo(page("q3"));
  }

  @Test
  void aNodeThatIsNotLostSendsItsSessionsItself() {
    refused(ErrorCode.CONFLICT, "q2 is not lost", () -> parts.pass("orders", page("q2"), ROOT));
    refused(ErrorCode.UNKNOWN_NODE, "q9", () -> parts.pass("orders", page("q9"), ROOT));
    refused(
        ErrorCode.INVALID_REQUEST, "name the node", () -> parts.pass("orders", page(null), ROOT));
    assertThat(hosts.calls).isEmpty();
  }

  @Test
  void theRefusalOfTheOwnerComesBackWithItsReason() {
    for (ErrorCode code :
        List.of(ErrorCode.STALE_SLOT, ErrorCode.CONFLICT, ErrorCode.STORE_FAILURE)) {
      hosts.answers("q1", call -> new MillraceException(code, "not now"));
      refused(code, "not now", () -> parts.pass("orders", page("q3"), ROOT));
    }
  }

  @Test
  void anOwnerThatDoesNotAnswerOrDoesNotKnowThisClusterIsOutOfReach() {
    hosts.answers("q1", call -> new MillraceException(ErrorCode.FORBIDDEN, "who are you"));
    refused(ErrorCode.UNREACHABLE, "q1", () -> parts.pass("orders", page("q3"), ROOT));
    slots = SlotTable.of(Map.of("q2", SlotTable.SLOTS));
    refused(ErrorCode.UNREACHABLE, "q2", () -> parts.pass("orders", page("q3"), ROOT));
  }

  @Test
  void queuesWithoutSlotsTakeNone() {
    refused(ErrorCode.UNKNOWN_SESSION, "alert", () -> parts.pass("alert", page("q3"), ROOT));
    refused(ErrorCode.UNKNOWN_QUEUE, "nothing", () -> parts.pass("nothing", page("q3"), ROOT));
    slots = null;
    refused(ErrorCode.UNAVAILABLE, "distributed", () -> parts.pass("orders", page("q3"), ROOT));
  }

  private static void refused(ErrorCode code, String words, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, refusal -> assertThat(refusal.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }
}
