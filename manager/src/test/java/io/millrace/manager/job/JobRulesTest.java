package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.ResourceScale;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.api.notification.Notification;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class JobRulesTest {
  private static final Instant THEN = Instant.parse("2040-01-01T00:00:00Z");

  private static Arguments bad(String field, UnaryOperator<JobDraft> change) {
    return Arguments.of(field, change);
  }

  static Stream<Arguments> badSpecifications() {
    return Stream.of(words(), numbers(), resources(), waits(), starts(), notifications())
        .flatMap(all -> all);
  }

  private static Stream<Arguments> words() {
    return Stream.of(
        bad("name", job -> job.name("n".repeat(201))),
        bad("single", job -> job.single(" ")),
        bad("single", job -> job.single("s".repeat(401))),
        bad("cwd", job -> job.cwd("work")),
        bad("cwd", job -> job.cwd("/work\0")),
        bad("pool", job -> job.pool("Pool")),
        bad("pool", job -> job.pool("-")),
        bad("env", job -> job.env(Map.of("1X", "y"))),
        bad("env.X", job -> job.env(Map.of("X", "y".repeat(200_000)))),
        bad("preferredNode", job -> job.preferredNode("q".repeat(201))));
  }

  private static Stream<Arguments> numbers() {
    return Stream.of(
        bad("priority", job -> job.priority(1_000_001)),
        bad("priority", job -> job.priority(Integer.MIN_VALUE)),
        bad("timeout", job -> job.timeout(Duration.ZERO)),
        bad("timeout", job -> job.timeout(Duration.ofSeconds(-1))),
        bad("grace", job -> job.grace(Duration.ofHours(2))),
        bad("grace", job -> job.grace(Duration.ofSeconds(-1))),
        bad("retry.max", job -> job.retry(RetryPolicy.upTo(10_001))),
        bad("retry.backoff", job -> job.retry(RetryPolicy.upTo(1, Duration.ofDays(8), null))),
        bad(
            "retry.maxBackoff",
            job -> job.retry(RetryPolicy.upTo(1, Duration.ZERO, Duration.ofSeconds(-1)))),
        bad("retry.exitCodes", job -> job.retry(codes(Set.of(0), Set.of()))),
        bad("retry.exitCodes", job -> job.retry(codes(Set.of(256), Set.of()))),
        bad("retry.finalExitCodes", job -> job.retry(codes(Set.of(), Set.of(-1)))),
        bad("retry.fallback", job -> job.retry(RetryPolicy.upTo(1).scaled(null, List.of("large")))),
        bad("retry.fallback", job -> job.retry(scaled(1, "Large"))),
        bad("retry.fallback", job -> job.retry(scaled(1, "a", "b", "a"))),
        bad("retry.fallback", job -> job.retry(scaled(1, pools(21)))),
        bad("retry.max", job -> job.retry(scaled(0))),
        bad("retry", job -> job.restart(true).retry(RetryPolicy.upTo(1))));
  }

  private static RetryPolicy codes(Set<Integer> again, Set<Integer> last) {
    return new RetryPolicy(1, null, null, Set.of(FailureKind.EXIT), again, last);
  }

  private static RetryPolicy scaled(int retries, String... pools) {
    return RetryPolicy.upTo(retries).scaled(ResourceScale.by(2), List.of(pools));
  }

  private static String[] pools(int count) {
    return IntStream.range(0, count).mapToObj(number -> "p" + number).toArray(String[]::new);
  }

  private static Stream<Arguments> resources() {
    return Stream.of(
        bad("cpu", job -> job.cpu(0.0)),
        bad("cpu", job -> job.cpu(-1.0)),
        bad("cpu", job -> job.cpu(10_001.0)),
        bad("cpu", job -> job.cpu(Double.NaN)),
        bad("memory", job -> job.memory(new DataSize(1000))),
        bad("resources", job -> job.resources(Map.of("g p u", 1))),
        bad("resources.gpu", job -> job.resources(Map.of("gpu", 0))),
        bad("resources.gpu", job -> job.resources(Map.of("gpu", -2))),
        bad("licences", job -> job.licences(Map.of("", 1))),
        bad("licences.cad", job -> job.licences(Map.of("cad", 1_000_001))),
        bad("licences", job -> job.licences(many())),
        bad("share", job -> job.share("two words")),
        bad("share", job -> job.share("")),
        bad("requires", job -> job.requires("memory >=")),
        bad("requires", job -> job.requires("cpus + 1")),
        bad("rank", job -> job.rank("name == 'e1")));
  }

  private static Map<String, Integer> many() {
    Map<String, Integer> names = new HashMap<>();
    IntStream.range(0, 21).forEach(i -> names.put("l" + i, 1));
    return names;
  }

  private static Stream<Arguments> waits() {
    return Stream.of(
        bad("tags", job -> job.tags(List.of("Nightly"))),
        bad("tags", job -> job.tags(List.of(""))),
        bad("tags", job -> job.tags(List.of("a", "a"))),
        bad("tags", job -> job.tags(IntStream.range(0, 21).mapToObj(i -> "t" + i).toList())),
        bad("tags", job -> job.tags(List.of("t".repeat(101)))),
        bad("lane", job -> job.lane("a lane")),
        bad("lane", job -> job.lane("l".repeat(101))),
        bad("lane", job -> job.lane("l").restart(true)),
        bad("deadline", job -> job.notBefore(THEN).deadline(THEN)),
        bad("deadline", job -> job.notBefore(THEN).deadline(THEN.minusSeconds(1))),
        bad("after", job -> job.after(after(LongStream.rangeClosed(1, 1001)))),
        bad("after", job -> job.after(after(LongStream.of(7, 7)))),
        bad("single", job -> job.array(ArrayRange.parse("1-9")).single("s")),
        bad("lane", job -> job.array(ArrayRange.parse("1-9")).lane("l")),
        bad("restart", job -> job.array(ArrayRange.parse("1-9")).restart(true)));
  }

  private static List<Dependency> after(LongStream ids) {
    return ids.mapToObj(id -> new Dependency(id, null)).toList();
  }

  private static Stream<Arguments> starts() {
    return Stream.of(
        bad("failover", job -> job.single("s").failover(Duration.ofDays(8))),
        bad("failover", job -> job.single("s").failover(Duration.ofSeconds(-1))),
        bad("failover", job -> job.failover(Duration.ofHours(1))),
        bad("runAs", job -> job.runAs("root; id")),
        bad("runAs", job -> job.runAs("-u")),
        bad("envFile", job -> job.envFile("settings.env")),
        bad("secrets.KEY", job -> job.secrets(Map.of("KEY", "../shadow"))),
        bad("secrets.KEY", job -> job.secrets(Map.of("KEY", "/etc/shadow"))),
        bad("secrets.KEY", job -> job.secrets(Map.of("KEY", "a..b"))),
        bad("secrets.KEY", job -> job.secrets(Map.of("KEY", ""))),
        bad("secrets.KEY", job -> job.secrets(Map.of("KEY", "k")).env(Map.of("KEY", "v"))),
        bad("secrets", job -> job.secrets(Map.of("A KEY", "k"))));
  }

  private static Stream<Arguments> notifications() {
    return Stream.of(
        notify("notify", null, null),
        notify("notify", List.of("mail"), "http://h/x"),
        notify("notify.command", List.of(" "), null),
        notify("notify.command", Collections.nCopies(201, "w"), null),
        notify("notify.webhook", null, "ftp://h/x"),
        notify("notify.webhook", null, "not an address"),
        notify("notify.webhook", null, "http:///path"),
        notify("notify.webhook", null, "https://ann:secret@h/x"),
        bad(
            "notify.lateAfter",
            job -> job.notification(new Notification(null, List.of("mail"), null, Duration.ZERO))));
  }

  private static Arguments notify(String field, List<String> command, String webhook) {
    return bad(field, job -> job.notification(new Notification(null, command, webhook, null)));
  }

  @ParameterizedTest(name = "{0} [{index}]")
  @MethodSource("badSpecifications")
  void anInvalidFieldIsNamedWithTheFix(String field, UnaryOperator<JobDraft> change) {
    JobSpec spec = change.apply(JobDraft.command("/bin/true")).spec();
    assertThatThrownBy(() -> JobRules.check(JobKind.SUBMITTED, spec))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageStartingWith(field + ": ");
  }

  @Test
  void theRefusalOfAWebhookDoesNotShowItsPathWhichMayBeASecret() {
    JobSpec spec =
        JobDraft.command("/bin/true")
            .notification(new Notification(null, null, "htps://hooks.example/SECRET", null))
            .spec();
    assertThatThrownBy(() -> JobRules.check(JobKind.SUBMITTED, spec))
        .hasMessage("notify.webhook: is not a URL; write one such as https://host/hook");
  }

  @ParameterizedTest
  @MethodSource("programFields")
  void aBuiltInProgramRefusesProcessOptions(String field, UnaryOperator<JobDraft> change) {
    JobSpec spec = change.apply(JobDraft.program("noop")).spec();
    assertThatThrownBy(() -> JobRules.check(JobKind.SUBMITTED, spec))
        .hasMessageStartingWith(field + ": a built-in program");
  }

  static Stream<Arguments> programFields() {
    return Stream.of(
        bad("runAs", job -> job.runAs("ann")),
        bad("envFile", job -> job.envFile("/etc/x")),
        bad("secrets", job -> job.secrets(Map.of("K", "k"))),
        bad("memory", job -> job.memory("1GB")));
  }

  @Test
  void allProblemsAreReportedAtOnce() {
    JobSpec spec =
        JobDraft.command("/bin/true").cwd("tmp").pool("A B").requires(">>>").cpu(-1.0).spec();

    assertThat(JobRules.problems(JobKind.SUBMITTED, spec))
        .extracting(problem -> problem.substring(0, problem.indexOf(':')))
        .containsExactly("cwd", "pool", "cpu", "requires");
    assertThatThrownBy(() -> JobRules.check(JobKind.SUBMITTED, spec))
        .hasMessageContaining("; pool: ");
  }

  @Test
  void everyFieldCanBeUsedTogether() {
    JobSpec spec =
        JobDraft.command("/bin/sh", "-c", "true")
            .name("all")
            .env(Map.of("A", "b"))
            .cwd("/tmp")
            .slots(2)
            .priority(-5)
            .pool("gpu")
            .timeout(Duration.ofMinutes(1))
            .retry(codes(Set.of(1, 255), Set.of(9)))
            .single("one")
            .cpu(0.001)
            .memory("512MB")
            .resources(Map.of("gpu", 1))
            .licences(Map.of("cad-pro", 2))
            .requires("memory >= 8GB")
            .share("team/a")
            .tags(List.of("nightly", "eu:west/1"))
            .hold(true)
            .notBefore(THEN)
            .deadline(THEN.plusSeconds(1))
            .after(after(LongStream.rangeClosed(1, 1000)))
            .lane("db@prod")
            .failover(Duration.ofDays(7))
            .runAs("batch_user")
            .envFile("/etc/job.env")
            .secrets(Map.of("KEY", "api-key.txt"))
            .notification(new Notification(null, null, "https://hooks.example/x", null))
            .spec();
    assertThatCode(() -> JobRules.check(JobKind.SUBMITTED, spec)).doesNotThrowAnyException();
  }
}
