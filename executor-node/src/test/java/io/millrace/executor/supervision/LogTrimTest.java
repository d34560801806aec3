package io.millrace.executor.supervision;

import static io.millrace.executor.supervision.SupervisionFixture.LONG;
import static io.millrace.executor.supervision.SupervisionFixture.NO_TIMEOUT;
import static io.millrace.executor.supervision.SupervisionFixture.ending;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.LogTrim.DroppedRange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@EnabledIf("io.millrace.executor.supervision.SupervisionFixture#machineCanSupervise")
class LogTrimTest {
  // The fixture keeps 64 KB of head and of tail; a line has 8 bytes.
  private static final int KEPT = 64 << 10;
  private static final int LINE = 8;
  private static final Pattern NOTICE =
      Pattern.compile("\n\\[millrace: (\\d+) bytes of this output were dropped here\\]\n");

  @TempDir private Path directory;
  private SupervisionFixture fixture;

  @BeforeEach
  void open() {
    fixture = new SupervisionFixture(directory);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void theHeadAndTheNewestAreKeptAndALineTellsHowMuchWasDroppedBetween() throws Exception {
    int lines = 200_000;
    SupervisedProcess process = fixture.start("seq", "-f", "%07.0f", "1", "" + lines);
    ending(process);

    String all = readAll(process.id());

    Matcher notice = NOTICE.matcher(all);
    assertThat(notice.find()).isTrue();
    long dropped = Long.parseLong(notice.group(1));
    String head = all.substring(0, notice.start());
    String tail = all.substring(notice.end());
    assertThat(head).hasSize(KEPT).isEqualTo(lines(1, KEPT / LINE));
    assertThat(head.length() + dropped + tail.length()).isEqualTo((long) lines * LINE);
    assertThat(tail).isEqualTo(lines(lines - tail.length() / LINE + 1, lines));
    assertThat(tail.length()).isBetween(KEPT, KEPT + KEPT / 4);
  }

  @Test
  void droppedOutputFreesDiskSpace() throws Exception {
    SupervisedProcess process = fixture.start("seq", "-f", "%07.0f", "1", "200000");
    ending(process);
    Path file = fixture.supervisor().directory(process.id()).output(LogStream.STDOUT);
    assertThat(Files.size(file)).isEqualTo(200_000L * LINE);
    assertThat(512 * blocks(file)).as("bytes on disk").isLessThan(4L * KEPT);
  }

  @Test
  void outputOfAProgramThatKeepsWritingIsTrimmedRepeatedlyAndOffsetsStay() throws Exception {
    SupervisedProcess process =
        fixture.start(
            NO_TIMEOUT, LONG, "sh", "-c", "until [ -e go ]; do seq -f %07.0f 1 8192; done");
    AttemptDirectory attempt = fixture.supervisor().directory(process.id());
    long first = dropped(attempt, 0);
    assertThat(dropped(attempt, first)).isGreaterThan(first);
    Files.createFile(attempt.work().resolve("go"));
    ending(process);

    long size = Files.size(attempt.output(LogStream.STDOUT));
    LogExcerpt tail = attempt.tail(LogStream.STDOUT, 100 * LINE);
    assertThat(tail.offset()).isEqualTo(size - 100 * LINE);
    assertThat(tail.text()).isEqualTo(lines(8192 - 99, 8192));
    assertThat(attempt.read(LogStream.STDOUT, tail.offset(), 100 * LINE).text())
        .isEqualTo(tail.text());
  }

  @Test
  void aShortOutputIsLeftAsItIs() throws Exception {
    SupervisedProcess process = fixture.start("seq", "-f", "%07.0f", "1", "1000");
    ending(process);
    assertThat(readAll(process.id())).isEqualTo(lines(1, 1000));
    assertThat(fixture.supervisor().directory(process.id()).droppedRecord(LogStream.STDOUT))
        .doesNotExist();
  }

  private static long dropped(AttemptDirectory attempt, long before) {
    Path record = attempt.droppedRecord(LogStream.STDOUT);
    await().atMost(LONG).until(() -> DroppedRange.read(record).to() > before);
    try {
      return DroppedRange.read(record).to();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private String readAll(AttemptId id) throws IOException {
    AttemptDirectory attempt = fixture.supervisor().directory(id);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    long position = 0;
    LogExcerpt excerpt = attempt.read(LogStream.STDOUT, position, 10_000);
    while (excerpt.bytes().length > 0) {
      all.writeBytes(excerpt.bytes());
      excerpt = attempt.read(LogStream.STDOUT, excerpt.next(), 10_000);
    }
    return all.toString(StandardCharsets.US_ASCII);
  }

  private static long blocks(Path file) throws Exception {
    Process stat = new ProcessBuilder(List.of("stat", "-c", "%b", file.toString())).start();
    String text = new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    return Long.parseLong(text.strip());
  }

  private static String lines(int from, int to) {
    StringBuilder text = new StringBuilder();
    IntStream.rangeClosed(from, to).forEach(n -> text.append(String.format("%07d%n", n)));
    return text.toString();
  }
}
