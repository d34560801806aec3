package io.millrace.manager.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.http.TaskRoutes.Services;
import io.millrace.platform.http.Route;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A client that has gone does not hold its connection for long: it is not noticed while it waits.
 */
class LongestWaitTest {
  private static final List<Route> ROUTES =
      Stream.of(
              new JobRoutes(null, null, null, null, null).routes(),
              new WorkflowRoutes(null, null, null, null, null, null).routes(),
              new TaskRoutes(
                      new Services(null, null, null, null, null, null),
                      null,
                      null,
                      new AttemptProofs(null))
                  .routes())
          .flatMap(List::stream)
          .toList();

  @Test
  void noCallWaitsForLongerThanAMinute() {
    List<Object> longest =
        ROUTES.stream()
            .flatMap(route -> route.description().parameters().stream())
            .filter(parameter -> parameter.name().equals("timeout"))
            .<Object>map(parameter -> parameter.of("1h"))
            .toList();
    // Of jobs, workflows, runs of tasks, and their managers.
    assertThat(longest)
        .hasSize(4)
        .allSatisfy(wait -> assertThat((Duration) wait).isLessThanOrEqualTo(Duration.ofMinutes(1)));
  }

  @Test
  void aShorterWaitIsAsAsked() {
    assertThat(CommonParameters.END_TIMEOUT.of("45s")).isEqualTo(Duration.ofSeconds(45));
    assertThat(CommonParameters.END_TIMEOUT.of(null)).isEqualTo(Duration.ofSeconds(30));
  }
}
