package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobSearch.TextCondition;
import io.millrace.manager.job.JobSearch.TextField;
import io.millrace.manager.job.JobSearch.TextPattern;
import io.millrace.manager.job.JobSearch.TimeCondition;
import io.millrace.manager.job.JobSearch.TimeField;
import io.millrace.manager.job.SearchParser.SearchTerm;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SearchParserTest {
  @Test
  void anEmptySearchMatchesSubmittedJobsAndArrays() {
    JobSearch search = SearchParser.parse("  ");
    assertThat(search.kinds()).containsExactly(JobKind.SUBMITTED);
    assertThat(search.elements()).isFalse();
    assertThat(search.unbounded()).isTrue();
  }

  @Test
  void anyOfSeveralStatesMatches() {
    assertThat(SearchParser.parse("state:failed,Waiting").states())
        .containsExactlyInAnyOrder(JobState.FAILED, JobState.WAITING);
  }

  @Test
  void allKindsIncludeElements() {
    assertThat(SearchParser.parse("kind:all").kinds()).isEmpty();
    assertThat(SearchParser.parse("kind:all").elements()).isTrue();
    assertThat(SearchParser.parse("kind:worker,manager").kinds())
        .containsExactlyInAnyOrder(JobKind.WORKER, JobKind.MANAGER);
  }

  @Test
  void anArrayMeansItsElements() {
    JobSearch search = SearchParser.parse("array:12 state:failed");
    assertThat(search.arrays()).containsExactly(12L);
    assertThat(search.elements()).isTrue();
    assertThat(search.kinds()).containsExactly(JobKind.SUBMITTED);
  }

  @Test
  void idsMeanJobsOfAnyKind() {
    JobSearch search = SearchParser.parse("id:5,7");
    assertThat(search.ids()).containsExactlyInAnyOrder(5L, 7L);
    assertThat(search.kinds()).isEmpty();
    assertThat(SearchParser.parse("kind:worker id:5").kinds()).containsExactly(JobKind.WORKER);
  }

  @Test
  void plainTermsMatchNames() {
    assertThat(SearchParser.parse("night a*b").texts())
        .containsExactly(
            new TextCondition(TextField.NAME, List.of(new TextPattern("*night*", true))),
            new TextCondition(TextField.NAME, List.of(new TextPattern("*a*b*", true))));
  }

  @Test
  void quotesProtectBlanksColonsAndCommas() {
    assertThat(SearchParser.parse("name:\"a b,c:d\" \"x:y z\"").texts())
        .containsExactly(
            new TextCondition(TextField.NAME, List.of(TextPattern.exactly("a b,c:d"))),
            new TextCondition(TextField.NAME, List.of(new TextPattern("*x:y z*", true))));
  }

  @Test
  void repeatedTagsMustAllMatch() {
    assertThat(SearchParser.parse("tag:a tag:b").texts()).hasSize(2);
  }

  @Test
  void aMinusSignExcludes() {
    assertThat(SearchParser.parse("-state:succeeded,failed").states())
        .containsExactlyInAnyOrder(
            JobState.WAITING,
            JobState.BLOCKED,
            JobState.HELD,
            JobState.PLACED,
            JobState.RUNNING,
            JobState.CANCELLED);
    assertThat(SearchParser.parse("-kind:submitted,worker").kinds())
        .containsExactly(JobKind.MANAGER);
    assertThat(SearchParser.parse("-night \"-day\"").texts())
        .containsExactly(
            new TextCondition(TextField.NAME, List.of(new TextPattern("*night*", true)), true),
            new TextCondition(TextField.NAME, List.of(new TextPattern("*-day*", true))));
  }

  @Test
  void theJobsOfATaskAreThoseThatItOwns() {
    assertThat(SearchParser.parse("task:nightly").texts())
        .containsExactly(
            new TextCondition(TextField.OWNER, List.of(TextPattern.exactly("task:nightly"))));
  }

  @Test
  void aRunMeansItsJobsOfAnyKind() {
    assertThat(SearchParser.parse("run:5").runs()).containsExactly(5L);
    assertThat(SearchParser.parse("run:5").kinds()).isEmpty();
    assertThat(SearchParser.parse("run:5").elements()).isTrue();
  }

  @Test
  void timesAreAgesDatesOrInstants() {
    Instant now = Instant.parse("2026-03-01T12:00:00Z");
    assertThat(SearchParser.parse("since:2h ended:<2026-02-01 ended:>30m").at(now).times())
        .containsExactly(
            new TimeCondition(TimeField.SUBMITTED, true, now.minusSeconds(7200), null),
            new TimeCondition(TimeField.ENDED, false, Instant.parse("2026-02-01T00:00:00Z"), null),
            new TimeCondition(TimeField.ENDED, true, now.minusSeconds(1800), null));
  }

  @Test
  void parametersAreVerbatim() {
    JobSearch search = SearchParser.parse("", List.of(SearchTerm.exactly("name", "a*,b")));
    assertThat(search.texts().get(0).anyOf()).containsExactly(TextPattern.exactly("a*,b"));
  }

  @ParameterizedTest
  @CsvSource({
    "foo*, foo%",
    "a*b, a%b",
    "50%*, 50!%%",
    "a_b*, a!_b%",
    "wow!*, wow!!%",
  })
  void onlyStarsAreWildcards(String text, String like) {
    assertThat(TextPattern.of(text).like()).isEqualTo(like);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "status:failed | 'status:' is not a search key; use array, ended, exit, id, kind",
        "state:broken | 'broken' is not a state; use waiting, blocked, held",
        "kind:thing | use submitted, worker, manager or all",
        "state: | a value is missing; use for instance state:failed,waiting",
        "state:failed, | a value is missing",
        "array:x | 'x' is not a job ID",
        "id:1,zwei | 'zwei' is not a job ID",
        "state:failed state:held | given twice; use state:a,b",
        "name:\"open | a double quote is not closed",
        ":x | is not a search key",
      })
  void invalidTermsAreRefusedWithTheValidOnes(String search, String words) {
    assertThatThrownBy(() -> SearchParser.parse(search))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
              assertThat(e).hasMessageStartingWith("search: ").hasMessageContaining(words);
            });
  }
}
