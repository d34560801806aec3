package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.ManualClock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestBodiesTest {
  private static final int MAX = 1 << 20;

  private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
  private final RequestBodies bodies = new RequestBodies(MAX, ServerBounds.usual(), clock);

  /** A body that arrives in pieces, each after some time. */
  private InputStream slow(int size, int piece, Duration pause) {
    return new ByteArrayInputStream(new byte[size]) {
      @Override
      public synchronized int read(byte[] into, int offset, int length) {
        clock.advance(pause);
        return super.read(into, offset, Math.min(piece, length));
      }
    };
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1000, 16 << 10, (16 << 10) + 1, MAX})
  void aBodyIsReadWithAndWithoutAnAnnouncedLength(int size) throws IOException {
    byte[] body = new byte[size];
    assertThat(bodies.read(new ByteArrayInputStream(body), size)).hasSize(size);
    assertThat(bodies.read(new ByteArrayInputStream(body), -1)).hasSize(size);
  }

  @Test
  void aBodyThatIsTooLargeIsRefusedAnnouncedOrNot() {
    refused(
        () -> bodies.read(new ByteArrayInputStream(new byte[0]), MAX + 1L),
        ErrorCode.BODY_TOO_LARGE);
    refused(
        () -> bodies.read(new ByteArrayInputStream(new byte[MAX + 1]), -1),
        ErrorCode.BODY_TOO_LARGE);
  }

  @Test
  void aBodyThatEndsEarlyIsAnError() {
    assertThatThrownBy(() -> bodies.read(new ByteArrayInputStream(new byte[5]), 9))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("5 of 9 bytes");
  }

  @Test
  void aBodyThatTricklesIsCutOff() {
    for (long length : new long[] {-1, 1000, 100_000}) {
      Instant begun = clock.now();
      refused(
          () -> bodies.read(slow(100_000, 1, Duration.ofSeconds(1)), length), ErrorCode.TIMEOUT);
      assertThat(Duration.between(begun, clock.now())).isEqualTo(Duration.ofSeconds(31));
    }
  }

  @Test
  void aBodyThatIsLargeMayTakeItsTime() throws IOException {
    // 40,000 bytes a second, for 26 seconds, and 20,000 for 52.
    assertThat(bodies.read(slow(MAX, 10_000, Duration.ofMillis(250)), MAX)).hasSize(MAX);
    assertThat(bodies.read(slow(MAX, 10_000, Duration.ofMillis(500)), -1)).hasSize(MAX);
  }

  @Test
  void bodiesBeyondTheMemoryAreRefusedAndLeaveIt() {
    BodyBudget memory = new BodyBudget(100);
    memory.take(60);
    assertThatThrownBy(() -> memory.take(41))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    memory.take(40);
    memory.release(100);
    assertThat(memory.used()).isZero();
  }

  private interface Reading {
    byte[] read() throws IOException;
  }

  private static void refused(Reading reading, ErrorCode code) {
    assertThatThrownBy(reading::read)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
