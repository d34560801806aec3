package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.lifecycle.ByteBudget;
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
  private static final BodyReaders READERS = new BodyReaders(1, 1, 1, 1);

  private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
  // For one of the largest bodies, which is copied once, and a half.
  private final ByteBudget memory = new ByteBudget(3 * MAX, Duration.ZERO);
  private final RequestBodies limited =
      new RequestBodies(MAX, READERS, memory, Duration.ofSeconds(30), clock);
  private final RequestBodies bodies =
      new RequestBodies(
          MAX, READERS, new ByteBudget(100 * MAX, Duration.ZERO), Duration.ofSeconds(30), clock);

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
    // 40 KiB a second, for 26 seconds, and 20 for 51.
    assertThat(bodies.read(slow(MAX, 8 << 10, Duration.ofMillis(200)), MAX)).hasSize(MAX);
    assertThat(bodies.read(slow(MAX, 8 << 10, Duration.ofMillis(400)), -1)).hasSize(MAX);
  }

  @Test
  void largeBodiesShareABudgetAndShortOnesNeedNone() throws IOException {
    byte[] kept = limited.read(new ByteArrayInputStream(new byte[MAX]), -1);
    assertThat(memory.reserved()).isEqualTo(2L * kept.length);

    refused(
        () -> limited.read(new ByteArrayInputStream(new byte[MAX]), MAX), ErrorCode.UNAVAILABLE);
    assertThat(memory.reserved()).as("what was refused is given up").isEqualTo(2L * kept.length);

    assertThat(limited.read(new ByteArrayInputStream(new byte[MAX / 2]), MAX / 2)).hasSize(MAX / 2);
    assertThat(memory.reserved()).isEqualTo(3L * MAX);
    assertThat(limited.read(new ByteArrayInputStream(new byte[16 << 10]), 16 << 10))
        .hasSize(16 << 10);
    assertThat(memory.reserved()).isEqualTo(3L * MAX);
  }

  @Test
  void bodiesThatFailAreGivenUp() {
    refused(
        () -> limited.read(new ByteArrayInputStream(new byte[MAX + 1]), -1),
        ErrorCode.BODY_TOO_LARGE);
    refused(() -> limited.read(slow(MAX, 1000, Duration.ofSeconds(1)), -1), ErrorCode.TIMEOUT);
    assertThat(memory.reserved()).isZero();
  }

  private interface Reading {
    byte[] read() throws IOException;
  }

  private static void refused(Reading reading, ErrorCode code) {
    assertThatThrownBy(reading::read)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
