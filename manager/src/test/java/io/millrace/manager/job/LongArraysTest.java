package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.manager.job.ElementTexts.StoredLength;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Arrays whose elements have long texts, which share what one expansion may create. */
class LongArraysTest {
  private final ArrayBench bench = new ArrayBench(20);

  @AfterEach
  void close() {
    bench.close();
  }

  /** A command with about that many characters. */
  private static JobDraft ofLength(int characters) {
    List<String> words =
        new ArrayList<>(Collections.nCopies(characters / 50_000, "w".repeat(50_000)));
    words.add(0, "/bin/true");
    return JobDraft.command(words.toArray(String[]::new));
  }

  @Test
  void arraysWithLongTextsDoNotKeepLaterOnesFromTheirTurn() {
    for (int i = 0; i < 8; i++) {
      bench.submit("1-1000", ofLength(1_100_000));
    }
    long small = bench.submit("1-20");
    bench.jobs.place();
    bench.jobs.place();
    assertThat(bench.elements(small)).hasSize(20);
  }

  @Test
  void anArrayThatGotNothingGoesFirstNextTimeHoweverManyThereAre() {
    List<Long> arrays = new ArrayList<>();
    for (int i = 0; i < 205; i++) {
      arrays.add(bench.submit("1-1000", ofLength(100_000)));
    }
    // Eight million characters are 80 or so elements.
    for (int i = 0; i < 3; i++) {
      bench.jobs.place();
    }
    assertThat(arrays).allSatisfy(array -> assertThat(bench.elements(array)).isNotEmpty());
  }

  @Test
  void anArrayWithLongTextsIsCancelledInPiecesWhileNothingOfItStarts() {
    try (ArrayBench narrow = new ArrayBench(1)) {
      long array = narrow.submit("1-1000", ofLength(1_000_000));
      for (int i = 0; i < 4; i++) {
        narrow.jobs.place();
      }
      List<JobView> elements = narrow.elements(array);
      assertThat(elements).hasSizeGreaterThan(24);

      narrow.act(Verb.CANCEL, array);
      assertThat(narrow.elements(array, JobState.WAITING)).hasSize(elements.size() - 9);
      List<JobView> live = narrow.elements(array, JobState.PLACED);
      live.forEach(one -> narrow.end(one, Outcome.STOPPED));
      assertThat(live).hasSize(2);
      assertThat(narrow.jobs.place()).isZero();
      assertThat(narrow.elements(array)).hasSameSizeAs(elements);

      assertThat(narrow.tend()).isGreaterThan(2);
      assertThat(narrow.view(array).state()).isEqualTo(JobState.CANCELLED);
      assertThat(narrow.elements(array, JobState.CANCELLED)).hasSameSizeAs(elements);
      narrow.recount(array);
    }
  }

  @Test
  void ofAnArrayThatIsCancelledWhatRunsIsStoppedFirst() {
    long array = bench.submit("1-1000", ofLength(1_000_000));
    for (int i = 0; i < 3; i++) {
      bench.jobs.place();
    }
    List<JobView> live = bench.elements(array, JobState.PLACED);
    assertThat(live).hasSizeGreaterThan(20);
    bench.act(Verb.CANCEL, array);
    // Those that are asked to stop do not keep the others from it, although they still run.
    bench.tend();
    assertThat(stopping(live)).isEqualTo(live.size());
  }

  private long stopping(List<JobView> elements) {
    return elements.stream()
        .map(one -> bench.jobs.queries.details(one.id()).history())
        .filter(lines -> lines.stream().anyMatch(line -> line.toString().contains("stop")))
        .count();
  }

  @Test
  void allThatIsStoredOfAnElementCounts() {
    JobSpec common =
        JobDraft.command("true", "{x}").env(Map.of("A", "{x}")).secrets(secrets()).spec();
    StoredLength lengths = StoredLength.of(common);
    assertThat(lengths.element(common)).isEqualTo(stored(common)).isGreaterThan(98_000);

    String value = "a \"quoted\" \\ text\nwith lines\u0001 and \u00e4".repeat(100);
    JobSpec filled =
        JobDraft.command("true", value)
            .env(Map.of("A", value, "B", "b"))
            .secrets(secrets())
            .name(common.name())
            .spec();
    assertThat(lengths.element(filled)).isEqualTo(stored(filled));
  }

  private static Map<String, String> secrets() {
    Map<String, String> secrets = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      secrets.put("S".repeat(980) + i, "file");
    }
    return secrets;
  }

  private static long stored(JobSpec element) {
    return Json.write(NewJob.element(element, 1, 1).spec()).length();
  }

  @Test
  void elementsWithLongSecretsAreCreatedAFewAtATime() {
    long array = bench.submit("1-1000", JobDraft.command("true").secrets(secrets()));
    bench.jobs.place();
    assertThat(bench.elements(array)).hasSizeBetween(70, 85);
  }
}
