package io.millrace.manager.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.task.ScheduleDefinition.CatchUpRule;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.schedule.CrontabReading.CrontabOrigin;
import io.millrace.manager.schedule.CrontabReading.CrontabTask;
import io.millrace.manager.schedule.CrontabReading.RefusedLine;
import io.millrace.manager.schedule.TaskDocument.TaskNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CrontabImportTest {
  private static final Instant NOW = Instant.parse("2026-11-23T00:00:00Z");
  private static final CrontabOrigin OWN = new CrontabOrigin(false, "UTC", "/home/ann");
  private static final CrontabOrigin SYSTEM = new CrontabOrigin(true, "Europe/Amsterdam", null);

  private static CrontabReading read(String... lines) {
    return CrontabImport.read(String.join("\n", lines), OWN, NOW);
  }

  private static TaskDefinition only(CrontabReading reading) {
    assertThat(reading.refused()).isEmpty();
    assertThat(reading.tasks()).hasSize(1);
    return reading.tasks().get(0).definition();
  }

  @Test
  void aLineBecomesATaskThatRunsItsCommandInAShell() {
    TaskDefinition task =
        only(
            read(
                "# m h dom mon dow",
                "",
                "# Nightly backup",
                "# of the mail.",
                "30  2 * * 1-5 \t/usr/local/bin/backup.sh --all > /dev/null 2>&1 "));

    assertThat(task.name()).isEqualTo("backup");
    assertThat(task.description()).isEqualTo("Nightly backup of the mail.");
    assertThat(task.schedule().cron()).isEqualTo("30 2 * * 1-5");
    assertThat(task.schedule().catchUp()).as("cron catches nothing up").isEqualTo(CatchUpRule.NONE);
    assertThat(task.job().command())
        .containsExactly("/bin/sh", "-c", "/usr/local/bin/backup.sh --all > /dev/null 2>&1");
    assertThat(task.job().cwd()).isEqualTo("/home/ann");
  }

  @Test
  void variablesHoldForTheLinesBelowThem() {
    CrontabReading reading =
        read(
            "PATH=/usr/local/bin:/usr/bin",
            "GREETING = \"  hello there \"",
            "@daily first",
            "SHELL=/bin/bash",
            "HOME=/srv",
            "@daily second");

    TaskDefinition first = reading.tasks().get(0).definition();
    TaskDefinition second = reading.tasks().get(1).definition();
    assertThat(first.job().env())
        .isEqualTo(Map.of("PATH", "/usr/local/bin:/usr/bin", "GREETING", "  hello there "));
    assertThat(first.job().command()).startsWith("/bin/sh", "-c");
    assertThat(second.job().command()).startsWith("/bin/bash", "-c");
    assertThat(second.job().cwd()).isEqualTo("/srv");
    assertThat(second.job().env())
        .containsEntry("SHELL", "/bin/bash")
        .containsEntry("HOME", "/srv");
  }

  @Test
  void mailtoBecomesANotificationUntilItIsEmptied() {
    CrontabReading reading =
        read("MAILTO=ann@example.org", "@daily first", "MAILTO=\"\"", "@daily second");

    assertThat(reading.tasks().get(0).definition().job().notification().command())
        .startsWith("sh", "-c")
        .endsWith("ann@example.org");
    assertThat(reading.tasks().get(0).notes()).anyMatch(note -> note.contains("mails failures"));
    assertThat(reading.tasks().get(1).definition().job().notification()).isNull();
    assertThat(reading.tasks().get(1).definition().job().env()).isNullOrEmpty();
  }

  @Test
  void extensionsOfOtherCronsAreKept() {
    TaskDefinition task =
        only(read("CRON_TZ=America/New_York", "RANDOM_DELAY=15", "-0 4 * * 7 cleanup"));

    assertThat(task.schedule().zone()).isEqualTo("America/New_York");
    assertThat(task.schedule().jitter()).isEqualTo(Duration.ofMinutes(15));
    assertThat(task.schedule().cron()).isEqualTo("0 4 * * 7");
    assertThat(task.job().env()).isNullOrEmpty();
  }

  @Test
  void aSystemCrontabNamesTheUserOfEachLine() {
    CrontabReading reading =
        CrontabImport.read("17 * * * * root cd / && run-parts /etc/cron.hourly\n", SYSTEM, NOW);
    TaskDefinition task = only(reading);

    assertThat(task.job().runAs()).isEqualTo("root");
    assertThat(task.name()).isEqualTo("run-parts");
    assertThat(task.job().command()).endsWith("cd / && run-parts /etc/cron.hourly");
    assertThat(task.schedule().zone()).isEqualTo("Europe/Amsterdam");
    assertThat(reading.tasks().get(0).notes()).anyMatch(note -> note.contains("home directory"));
    assertThat(CrontabImport.read("17 * * * * root\n", SYSTEM, NOW).refused())
        .singleElement()
        .satisfies(line -> assertThat(line.reason()).contains("a user and a command"));
  }

  @Test
  void percentSignsGiveTheCommandItsInput(@TempDir Path folder) throws Exception {
    TaskDefinition task =
        only(read("0 8 * * * cat; date +\\%H >/dev/null%Dear all,%%100\\% 'done'"));

    assertThat(task.job().command().get(2)).contains("date +%H >/dev/null");
    assertThat(output(task, folder)).isEqualTo("Dear all,\n\n100% 'done'\n");
  }

  @Test
  void inputThatHoldsTheEndMarkIsGivenWhole(@TempDir Path folder) throws Exception {
    assertThat(output(only(read("0 8 * * * cat%END_OF_INPUT%$HOME `id`")), folder))
        .isEqualTo("END_OF_INPUT\n$HOME `id`\n");
    assertThat(output(only(read("0 8 * * * wc -c%")), folder).strip()).isEqualTo("0");
  }

  /** What the task's command prints when its shell runs it. */
  private static String output(TaskDefinition task, Path folder) throws Exception {
    Path out = Files.createTempFile(folder, "out", ".txt");
    Process process = new ProcessBuilder(task.job().command()).redirectOutput(out.toFile()).start();
    process.getOutputStream().close();
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    return text(out);
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          @reboot /usr/bin/tunnel   | not tied to a machine
          0 0 30 2 * never          | never matches
          61 * * * * late           | minute '61' must be 0 to 59
          * * * * *                 | must have five fields or a name such as @daily, then a command
          hello                     | must have five fields
          */90 * * * * often        | write schedule.every: 90m
          0 30 4 * * * backup       | '*' after the fifth field looks like a sixth one
          0 30 4 * * ? backup       | '?' after the fifth field looks like a sixth one
          30 4 1 1 * 2027 backup    | '2027' after the fifth field looks like a sixth one
          """)
  void unsupportedLinesAreRefusedWithTheReason(String line, String reason) {
    CrontabReading reading = read("# a remark", line, "@daily fine");

    assertThat(reading.tasks()).hasSize(1);
    RefusedLine refused = reading.refused().get(0);
    assertThat(refused.line()).isEqualTo(2);
    assertThat(refused.text()).isEqualTo(line);
    assertThat(refused.reason()).contains(reason);
  }

  @Test
  void theFieldAfterTheFifthIsNotAUser() {
    assertThat(CrontabImport.read("0 30 4 * * * root backup\n", SYSTEM, NOW).refused())
        .singleElement()
        .satisfies(line -> assertThat(line.reason()).contains("looks like a sixth one"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      textBlock =
          """
          @daily server --listen &               | remove the '&'
          0 0 5 8 * Mon /bin/x                   | 'Mon' after the fifth field looks like a sixth time field, which cron does not know
          0 0 5 8 * mon-fri /bin/x               | looks like a sixth time field
          @daily echo $((1 % 2))                 | write '\\%' for a percent sign
          @daily date +%F                        | a date format; write '\\%' for a percent sign
          @daily date "+%F"                      | write '\\%' for a percent sign
          """)
  void aCommandThatWouldDoSomethingElseIsNoted(String line, String note) {
    assertThat(read(line).tasks().get(0).notes()).anyMatch(text -> text.contains(note));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@daily make && echo done",
        "@daily date \"+\\%F\"",
        "@daily mail ann%hello",
        "@daily 7z a x.7z x"
      })
  void anOrdinaryCommandHasNoSuchNote(String line) {
    assertThat(read(line).tasks().get(0).notes())
        .noneMatch(text -> text.contains("'&'") || text.contains("percent"));
  }

  @Test
  void anIntervalAfterEveryIsKept() {
    assertThat(only(read("@every 5m poll")).schedule().every()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void inputForAShellWithoutHereDocumentsOfThisFormIsRefused() {
    assertThat(read("SHELL=/usr/bin/fish", "@daily cat%hello").refused())
        .singleElement()
        .satisfies(line -> assertThat(line.reason()).contains("POSIX shells"));
  }

  @Test
  void commentedOutLinesAndSeparateCommentsAreNotDescriptions() {
    CrontabReading reading =
        read(
            "# Apart.",
            "",
            "@daily first",
            "#0 3 * * * old-backup",
            "@daily second",
            "# 5 minutes are enough",
            "@daily third");

    assertThat(reading.tasks())
        .extracting(task -> task.definition().description())
        .containsExactly(null, null, "5 minutes are enough");
    assertThat(reading.tasks()).extracting(CrontabTask::line).containsExactly(3, 5, 7);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '>',
      textBlock =
          """
          /opt/app/bin/clean_up.sh -v              > clean_up
          cd /srv/www && php artisan schedule:run  > artisan
          FOO=1 nice -n10 /usr/bin/python3 /x/Sync.py > sync
          flock -n /tmp/a.lock importer            > importer
          test -x /usr/sbin/anacron || run-parts /etc > run-parts
          [ -d /x ]                                > task
          /bin/sleep 1 &                           > sleep
          cd /srv && sleep 5                       > sleep
          """)
  void tasksAreNamedAfterTheirPrograms(String command, String name) {
    assertThat(new TaskNames().of(command)).isEqualTo(name);
  }

  @Test
  void namesAreNotUsedTwice() {
    assertThat(read("@daily a", "@hourly a", "@weekly /bin/a").tasks())
        .extracting(task -> task.definition().name())
        .containsExactly("a", "a-2", "a-3");
  }

  @Test
  void theDocumentsReadBackAsTheSameDefinitions() {
    CrontabReading reading =
        read(
            "PATH=/bin",
            "MAILTO=ann@example.org",
            "# Says: \"yes\" # and no",
            "*/5 * * * * echo 'a: b' | cat%one%- two",
            "@daily true");

    assertThat(List.of(reading.yaml().split("---\n", -1)))
        .hasSize(2)
        .allSatisfy(document -> assertThat(document).contains("kind: task\n"));
    assertThat(Documents.read(reading.yaml()))
        .isEqualTo(reading.tasks().stream().map(CrontabTask::definition).toList());
  }
}
