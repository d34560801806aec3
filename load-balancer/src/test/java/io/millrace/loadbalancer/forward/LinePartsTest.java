package io.millrace.loadbalancer.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.loadbalancer.forward.LineParts.LinePart;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class LinePartsTest {
  @Test
  void bodyThatFitsIsOnePartWhateverItsLength() throws IOException {
    for (String body : List.of("1", "1\n", "1\n2\n3", "1\n".repeat(1000))) {
      List<LinePart> parts = parts(bytes(body), body.length(), 7);
      assertThat(parts).hasSize(1);
      assertThat(parts.get(0).alone()).isTrue();
      assertThat(parts.get(0).body()).isEqualTo(bytes(body));
    }
  }

  @Test
  void thousandAndOneLinesAreTwoParts() throws IOException {
    List<LinePart> parts = parts(bytes("1\n".repeat(1001)), -1, 100);
    assertThat(parts).extracting(LinePart::number).containsExactly(0, 1);
    assertThat(parts).extracting(LinePart::firstLine).containsExactly(1L, 1001L);
    assertThat(parts).extracting(LinePart::lastLine).containsExactly(1000L, 1001L);
    assertThat(parts).extracting(LinePart::last).containsExactly(false, true);
  }

  @Test
  void lineThatIsTooLongIsNamedByItsNumber() throws IOException {
    LineParts parts =
        new LineParts(
            new ByteArrayInputStream(bytes("1\n".repeat(2500) + "x".repeat(LineParts.MAX_BYTES))),
            -1);
    assertThat(parts.next()).isPresent();
    assertThat(parts.next()).isPresent();
    assertThat(parts.next()).as("the lines before it").isPresent();
    assertThatThrownBy(parts::next)
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.BODY_TOO_LARGE))
        .hasMessageContaining("line 2501 ");
  }

  @Test
  void bodyOfBlankLinesIsOnePartAndBlankPartsBetweenEventsAreLeftOut() throws IOException {
    assertThat(parts(bytes("\n\n"), -1, 1)).hasSize(1);
    assertThat(parts(bytes(""), 0, 1)).hasSizeLessThanOrEqualTo(1);

    List<LinePart> parts = parts(bytes("1\n".repeat(1000) + "\n".repeat(1000) + "2\n"), -1, 999);

    assertThat(parts).extracting(LinePart::number).containsExactly(0, 1);
    assertThat(parts.get(1).firstLine()).isEqualTo(2001);
  }

  @Property(tries = 60)
  void partsTogetherAreTheBodyAndAreCutAlikeHoweverItArrives(
      @ForAll long seed, @ForAll @IntRange(max = 3_000) int lines, @ForAll boolean longLines)
      throws IOException {
    byte[] body = body(new SplittableRandom(seed), lines, longLines ? 4_000 : 20);
    List<LinePart> slowly = parts(body, -1, 511);
    List<LinePart> quickly = parts(body, body.length, Integer.MAX_VALUE);

    ByteArrayOutputStream together = new ByteArrayOutputStream();
    long line = 1;
    for (LinePart part : quickly) {
      together.write(part.body());
      assertThat(part.body().length).isLessThanOrEqualTo(LineParts.MAX_BYTES);
      assertThat(part.firstLine()).isEqualTo(line);
      line = part.lastLine() + 1;
      assertThat(part.lastLine() - part.firstLine()).isLessThan(LineParts.MAX_LINES);
    }
    assertThat(Arrays.equals(together.toByteArray(), body)).isTrue();
    assertThat(slowly).hasSameSizeAs(quickly);
    for (int i = 0; i < slowly.size(); i++) {
      assertThat(Arrays.equals(slowly.get(i).body(), quickly.get(i).body())).isTrue();
      assertThat(slowly.get(i).last()).isEqualTo(quickly.get(i).last());
    }
  }

  private static byte[] body(SplittableRandom random, int lines, int longest) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (int i = 0; i < lines; i++) {
      body.write(bytes("x".repeat(random.nextInt(1, longest))));
      if (i < lines - 1 || random.nextBoolean()) {
        body.write('\n');
      }
    }
    return body.toByteArray();
  }

  private static List<LinePart> parts(byte[] body, long expected, int atOnce) throws IOException {
    LineParts cutter = new LineParts(trickling(body, atOnce), expected);
    List<LinePart> parts = new ArrayList<>();
    Optional<LinePart> next = cutter.next();
    while (next.isPresent()) {
      parts.add(next.get());
      next = cutter.next();
    }
    return parts;
  }

  private static InputStream trickling(byte[] body, int atOnce) {
    return new ByteArrayInputStream(body) {
      @Override
      public synchronized int read(byte[] into, int offset, int length) {
        return super.read(into, offset, Math.min(atOnce, length));
      }
    };
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
