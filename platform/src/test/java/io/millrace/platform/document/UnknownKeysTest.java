package io.millrace.platform.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import io.millrace.api.Json;
import io.millrace.platform.document.DocumentBinder.BindingProblem;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is advised for unknown keys. */
class UnknownKeysTest {
  private record Whole(
      String title,
      Pacing pacing,
      Retry start,
      Retry stop,
      List<Step> steps,
      Map<String, Step> by) {}

  private record Pacing(int maxWorkers, int tick) {}

  private record Retry(int delay) {}

  private record Step(String command, Limits limits) {}

  private record Limits(int memory) {}

  @Test
  void aKeyThatBelongsElsewhereIsNamedWithItsPlace() {
    assertThat(problems("{'maxWorkers': 1}"))
        .containsExactly("maxWorkers: unknown key; write it as pacing.maxWorkers");
  }

  @Test
  void aPlaceThatIsTakenIsNotAdvised() {
    assertThat(problems("{'maxWorkers': 1, 'pacing': {'maxWorkers': 2}}"))
        .containsExactly(listed("maxWorkers"));
    assertThat(problems("{'pacing': {'title': 'a'}, 'title': 'b'}"))
        .containsExactly("pacing.title: unknown key; known keys: maxWorkers, tick");
  }

  @Test
  void aPlaceIsAdvisedForOneKeyOnly() {
    assertThat(problems("{'maxWorkers': 1, 'start': {'maxWorkers': 2}}"))
        .containsExactly(
            "maxWorkers: unknown key; write it as pacing.maxWorkers",
            "start.maxWorkers: unknown key; known keys: delay");
  }

  @Test
  void aKeyThatBelongsAtSeveralPlacesIsNotGivenOneOfThem() {
    assertThat(problems("{'delay': 1}")).containsExactly(listed("delay"));
  }

  @Test
  void aNearNameInTheSameRecordIsMeantRatherThanAnotherPlace() {
    assertThat(problems("{'pacing': {'tick': 1}, 'start': {'dalay': 1}, 'tick': 1}"))
        .containsExactly("start.dalay: unknown key; did you mean 'delay'?", listed("tick"));
    assertThat(bound("{'ticks': 1}", Near.class))
        .containsExactly("ticks: unknown key; did you mean 'tick'?");
  }

  private record Near(int tick, Inner inner) {
    private record Inner(int ticks) {}
  }

  @Test
  void aKeyInAnElementHasItsPlaceInThatElement() {
    assertThat(problems("{'steps': [{}, {'memory': 1}], 'by': {'a': {'memory': 1}}}"))
        .containsExactly(
            "steps[1].memory: unknown key; write it as steps[1].limits.memory",
            "by.a.memory: unknown key; write it as by.a.limits.memory");
    assertThat(problems("{'steps': [{'maxWorkers': 1}], 'maxWorkers': 1, 'memory': 1}"))
        .as("not where it belongs outside of the element, and the other way round")
        .containsExactly(
            "steps[0].maxWorkers: unknown key; known keys: command, limits",
            "maxWorkers: unknown key; write it as pacing.maxWorkers",
            "memory: unknown key");
  }

  /** The introspection of a record costs more than all else that is done for a key. */
  @Test
  void aThousandUnknownKeysNeedNoMoreIntrospectionThanOne() {
    assertThat(introspections(1_000)).isPositive().isEqualTo(introspections(1));
  }

  private static int introspections(int keys) {
    CountingIntrospector counting = new CountingIntrospector();
    DocumentBinder binder =
        new DocumentBinder(Json.mapper().rebuild().annotationIntrospector(counting).build());
    String document =
        IntStream.range(0, keys)
            .mapToObj(i -> "'unknown" + i + "': 1")
            .collect(Collectors.joining(",", "{", "}"));
    assertThat(bound(binder, document, Whole.class)).hasSize(keys);
    return counting.calls;
  }

  private static final class CountingIntrospector extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    private int calls;

    @Override
    public Boolean hasAsValue(Annotated annotated) {
      calls++;
      return super.hasAsValue(annotated);
    }
  }

  private static String listed(String key) {
    return key + ": unknown key; known keys: title, pacing, start, stop, steps, by";
  }

  private static List<String> problems(String document) {
    return bound(document, Whole.class);
  }

  private static <T extends Record> List<String> bound(String document, Class<T> type) {
    return bound(new DocumentBinder(Json.mapper()), document, type);
  }

  private static <T extends Record> List<String> bound(
      DocumentBinder binder, String document, Class<T> type) {
    try {
      return binder
          .bind(Json.mapper().readTree(document.replace('\'', '"')), type)
          .problems()
          .stream()
          .map(BindingProblem::toString)
          .toList();
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }
}
