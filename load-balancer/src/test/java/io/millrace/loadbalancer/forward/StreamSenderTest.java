package io.millrace.loadbalancer.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.loadbalancer.FakeNodes;
import io.millrace.platform.clock.ManualClock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StreamSenderTest {
  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private final FakeNodes nodes = new FakeNodes();
  private final ForwardMeters meters = new ForwardMeters(new SimpleMeterRegistry());
  private final Chooser chooser = new Chooser(clock, null, meters::skipped);
  private final Forwarder forwarder = new Forwarder(node -> nodes, chooser, meters, clock);
  private final StreamSender sender = new StreamSender("lb1", forwarder);

  StreamSenderTest() {
    chooser.follow(Targets.of(FakeNodes.topology(Map.of("q1", 500, "q2", 500))));
  }

  @AfterEach
  void stop() {
    sender.stop();
  }

  @Test
  void bodyThatFitsKeepsItsNameAndItsNode() {
    assertThat(send("load", lines(1000)))
        .isEqualTo(new SendAnswer("alert", "load", 1000, false, "q1"));
    assertThat(nodes.batches()).containsOnlyKeys("load");
  }

  @Test
  void longBodyIsSpreadOverTheNodesAndSummedUp() {
    assertThat(send("load", lines(4_500)))
        .isEqualTo(new SendAnswer("alert", "load", 4_500, false, "several"));
    assertThat(nodes.batches())
        .containsOnlyKeys("load/0000", "load/0001", "load/0002", "load/0003", "load/0004");
    assertThat(nodes.stored()).containsOnlyKeys("q1", "q2");
  }

  @Test
  void emptyBodyIsAnsweredByNode() {
    assertThatThrownBy(() -> send("load", "")).hasMessage("the batch holds no event");
    assertThatThrownBy(() -> send("load", "\n\n")).hasMessage("the batch holds no event");
  }

  @Test
  void aRefusalHalfwayReportsWhatIsStoredAndARepetitionStoresOnlyTheRest() {
    chooser.follow(Targets.of(FakeNodes.topology(Map.of("q1", 1000))));
    String body = lines(6_000);
    sendParts(2);
    nodes.refuse("q1", ErrorCode.QUEUE_FULL);

    assertThatThrownBy(() -> send("load", body))
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.QUEUE_FULL))
        .hasMessageContaining("events are stored: lines ")
        .hasMessageContaining("Send the same body again under the batch name load");
    int before = nodes.stored().get("q1");
    assertThat(before).isLessThan(6_002);

    assertThat(send("load", body).accepted()).isEqualTo(6_000);
    assertThat(nodes.stored().get("q1")).isEqualTo(6_002);
  }

  @Test
  void anErrorInOnePartNamesTheStoredLines() {
    chooser.follow(Targets.of(FakeNodes.topology(Map.of("q1", 1000))));
    nodes.refuse("q1", ErrorCode.MALFORMED_BODY);
    assertThatThrownBy(() -> send("load", lines(3_000)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.MALFORMED_BODY))
        .hasMessageMatching("lines \\d+ to \\d+: refused\\. .*")
        .hasMessageContaining("under another name");
  }

  /** Whether the lines stored under the name are those of this body, only its sender knows. */
  @Test
  void aNameUsedForAnotherBodyIsNotReportedAsStored() {
    chooser.follow(Targets.of(FakeNodes.topology(Map.of("q1", 1000))));
    sendParts(1);
    nodes.refuse("q1", ErrorCode.CONFLICT);
    assertThatThrownBy(() -> send("load", lines(3_000)))
        .hasMessageContaining("The name load was used before.")
        .hasMessageContaining("if it was for a different body, send all of this one");
  }

  @Test
  void aTooLongLineIsNamedWithWhatWasStoredBeforeIt() {
    String body = lines(1_500) + "x".repeat(LineParts.MAX_BYTES + 1);
    assertThatThrownBy(() -> send("load", body))
        .hasMessageContaining("line 1501 is longer than")
        .hasMessageContaining("1500 events are stored: lines 1 to 1500");
  }

  @Test
  void aTruncatedBodyReportsWhatIsStored() {
    InputStream broken =
        new SequenceInputStream(new ByteArrayInputStream(bytes(lines(2_000))), new Unreadable());
    assertThatThrownBy(() -> sender.send(batch("load"), broken, -1))
        .hasMessageContaining("the body ended early: connection reset")
        .hasMessageContaining("1000 events are stored: lines 1 to 1000");
  }

  @Test
  void partGoesElsewhereWhenItsNodeIsNotReached() {
    nodes.fail("q1", new NothingSentException("refused", null));
    assertThat(send("load", lines(5_000)).accepted()).isEqualTo(5_000);
    assertThat(nodes.batches()).hasSize(5);
  }

  @Test
  void unknownQueueIsRefusedBeforeAnythingIsRead() {
    Batch batch = new Batch("nope", "b", true, EventMedia.LINES, "", new byte[0]);
    assertThatThrownBy(() -> sender.send(batch, new Unreadable(), -1))
        .hasMessageContaining("'nope'");
  }

  @Test
  void aTooLongNameIsRefusedForLongBodiesOnly() {
    String name = "n".repeat(100);
    assertThat(send(name, lines(10)).accepted()).isEqualTo(10);
    assertThatThrownBy(() -> send(name, lines(1_001)))
        .hasMessageContaining("at most 90 characters");
    assertThat(nodes.batches()).containsOnlyKeys(name);
  }

  private void sendParts(int count) {
    for (int i = 0; i < count; i++) {
      send("before" + i, lines(1));
    }
  }

  private SendAnswer send(String name, String body) {
    return sender.send(batch(name), new ByteArrayInputStream(bytes(body)), -1);
  }

  private static Batch batch(String name) {
    return new Batch("alert", name, true, EventMedia.LINES, "", new byte[0]);
  }

  private static String lines(int count) {
    return "1\n".repeat(count);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static final class Unreadable extends InputStream {
    @Override
    public int read() throws IOException {
      throw new IOException("connection reset");
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      throw new IOException("connection reset");
    }
  }
}
