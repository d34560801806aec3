package io.millrace.cli.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.RetryPolicy.FailureKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Scripts of Slurm and Grid Engine become jobs (J-05). */
class ScriptDirectivesTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  @TempDir private Path folder;
  private ScriptDirectives directives;

  @Test
  void directivesOfSlurmSayHowTheJobRuns() throws IOException {
    JobSpec job =
        job(
            """
            #!/bin/bash
            #SBATCH --job-name=fit          # a comment
            #SBATCH -c 4 --mem-per-cpu 500M
            #SBATCH -t 1-12:30
            #SBATCH --array=0-90:10%3
            #SBATCH -D /data/fit
            #SBATCH --export=HOME,MODE=fast
            #SBATCH -p long -A physics --nice=50
            #SBATCH --begin=now+1hour
            #SBATCH --gres=gpu:2 --licenses=solver:3
            #SBATCH --dependency=afterok:3:4,afterany:5

            run
            """);

    assertThat(job.name()).isEqualTo("fit");
    assertThat(job.cpu()).isEqualTo(4);
    assertThat(job.memory()).hasToString("2000MB");
    assertThat(job.timeout()).isEqualTo(Duration.ofMinutes(36 * 60 + 30));
    assertThat(job.array()).isEqualTo(new ArrayRange(0, 90, 10, 3));
    assertThat(job.cwd()).isEqualTo("/data/fit");
    assertThat(job.env()).isEqualTo(Map.of("HOME", "/home/ann", "MODE", "fast"));
    assertThat(job.pool()).isEqualTo("long");
    assertThat(job.share()).isEqualTo("physics");
    assertThat(job.priority()).isEqualTo(-50);
    assertThat(job.notBefore()).isEqualTo("2026-03-01T13:00:00Z");
    assertThat(job.resources()).isEqualTo(Map.of("gpu", 2));
    assertThat(job.licences()).isEqualTo(Map.of("solver", 3));
    assertThat(job.after())
        .containsExactly(
            new Dependency(3, Dependency.End.OK),
            new Dependency(4, Dependency.End.OK),
            new Dependency(5, Dependency.End.ANY));
    assertThat(directives.findings().notes()).isEmpty();
  }

  @Test
  void directivesOfGridEngineSayHowTheJobRuns() throws IOException {
    JobSpec job =
        job(
            """
            #$ -N fit -cwd
            #$ -pe smp 4
            #$ -l h_vmem=2G,h_rt=1:30:00
            #$ -l gpu=1
            #$ -v HOME,MODE=fast
            #$ -q long.q@node7 -P physics -p -20
            #$ -hold_jid 3,4
            #$ -r n -h
            run
            #$ -t 1-10:3
            #$ -tc 2
            """);

    assertThat(job.name()).isEqualTo("fit");
    assertThat(job.cpu()).isEqualTo(4);
    assertThat(job.memory()).hasToString("8GB");
    assertThat(job.timeout()).isEqualTo(Duration.ofMinutes(90));
    assertThat(job.array()).isEqualTo(new ArrayRange(1, 10, 3, 2));
    assertThat(job.cwd()).isEqualTo(Path.of("").toAbsolutePath().toString());
    assertThat(job.env()).isEqualTo(Map.of("HOME", "/home/ann", "MODE", "fast"));
    assertThat(job.pool()).isEqualTo("long.q");
    assertThat(job.share()).isEqualTo("physics");
    assertThat(job.priority()).isEqualTo(-20);
    assertThat(job.hold()).isTrue();
    assertThat(job.retry().on()).doesNotContain(FailureKind.NODE_LOST).hasSize(5);
    assertThat(job.resources()).isEqualTo(Map.of("gpu", 1));
    assertThat(job.after())
        .containsExactly(
            new Dependency(3, Dependency.End.ANY), new Dependency(4, Dependency.End.ANY));
  }

  @ParameterizedTest
  @CsvSource({
    "'1,3,5', 1-5:2",
    "'4', 4-4",
    "'2,3,4%2', 2-4%2",
    "'1-7:2%4', 1-7:2%4",
  })
  void listsOfIndexesBecomeRanges(String written, String range) throws IOException {
    assertThat(job("#SBATCH -a " + written + "\nrun\n").array()).hasToString(range);
  }

  @Test
  void withoutItsOwnDirectoryAScriptOfSlurmRunsWhereItWasSubmitted() throws IOException {
    assertThat(job("#SBATCH -c 1\nrun\n").cwd()).isEqualTo(Path.of("").toAbsolutePath().toString());
    assertThat(job("run\n").cwd()).isNull();
  }

  @Test
  void whatIsNotDoneIsToldInOneLineEach() throws IOException {
    job(
        """
        #SBATCH -o out.%j
        #SBATCH --mail-type=END
        #SBATCH --exclusive
        #SBATCH --frobnicate=3
        #SBATCH --export=ALL,NOT_SET
        #$ -V
        #$ -j y
        #$ -l scratch=10G
        run
        #SBATCH -c 9
        """);

    assertThat(directives.findings().notes())
        .extracting(note -> note.substring(note.indexOf("line")))
        .containsExactly(
            "line 1: --output is not used: Millrace keeps the output: see 'millrace job logs'",
            "line 2: --mail-type is not used: use --notify-webhook or --notify-command",
            "line 3: --exclusive is not used: nodes are shared; ask for the processors and memory"
                + " needed",
            "line 4: --frobnicate is not used: it has no equivalent",
            "line 5: --export=ALL is not used: name the variables, as --export=A,B=2",
            "line 5: the variable NOT_SET is not set here and not passed on",
            "line 6: -V is not used: name the variables, as -v A,B=2",
            "line 7: -j is not used: Millrace keeps the output: see 'millrace job logs'",
            "line 8: -l scratch is not used: if nodes have it, use --resource or --requires",
            "line 10: a directive after the first command is not read; move it up");
  }

  @Test
  void whatWouldChangeTheMeaningIsRefusedAllAtOnce() throws IOException {
    Path script =
        write(
            """
            #SBATCH --nodes=4
            #SBATCH -n 8
            #SBATCH --time=soon
            #SBATCH --mem=much
            #SBATCH --array=1,2,9
            #SBATCH --dependency=after:5
            #SBATCH --dependency=afterok:fit
            #SBATCH --input=data.txt
            #SBATCH hetjob
            #SBATCH -c
            #$ -pe mpi 16
            #$ -hold_jid fit
            run
            """);
    directives =
        new ScriptDirectives(script, Map.of(), NOW, ZoneOffset.UTC, words -> Optional.empty());

    assertThatThrownBy(() -> directives.job(List.of()))
        .message()
        .contains(
            "line 1: --nodes=4: a job is one process on one node, and MPI is not started",
            "line 2: --ntasks=8",
            "line 3: --time: 'soon' is not a time",
            "line 4: --mem: 'much' is not a size",
            "line 5: array: the indexes '1,2,9' are no range",
            "line 6: --dependency=after:5 has no equivalent",
            "line 7: 'fit' is not the number of a job of Millrace",
            "line 8: --input is not possible",
            "line 9: jobs of several components have no equivalent",
            "line 10: --cpus-per-task has no value",
            "line 11: -pe mpi",
            "line 12: 'fit' is not the number");
  }

  @Test
  void filesThatAreNoScriptsAreRefused() throws IOException {
    assertRefused("#!/bin/sh\r\nls\r\n", "has line ends of Windows");
    assertRefused("\u007fELF\0\0", "is a program and no script");
    assertRefused("", "is empty");
    assertRefused("#" + "x".repeat((int) ScriptDirectives.LARGEST.bytes()), "is larger than 256KB");
  }

  private void assertRefused(String text, String reason) throws IOException {
    ScriptDirectives read =
        new ScriptDirectives(write(text), Map.of(), NOW, ZoneOffset.UTC, words -> Optional.empty());
    assertThatThrownBy(() -> read.job(List.of())).hasMessageContaining(reason);
  }

  @Test
  void theScriptRunsWithItsInterpreterAndArguments() throws Exception {
    JobSpec job =
        job("#!/bin/sh -u\nfor word; do echo \"<$word>\"; done\ncat\nexit 7\n", "a b", "*", "$x");

    assertThat(run(job, Map.of())).isEqualTo(7);
    assertThat(output()).isEqualTo("<a b>\n<*>\n<$x>\n");
    assertThat(temporaryFiles()).isEmpty();
  }

  @Test
  void elementsOfArraysFindTheVariablesOfTheirScheduler() throws Exception {
    JobSpec job =
        job(
            """
            #SBATCH --array=5-9:2
            #$ -pe smp 3
            echo $SLURM_ARRAY_TASK_ID $SLURM_ARRAY_JOB_ID $SLURM_JOB_ID $SLURM_ARRAY_TASK_MAX
            echo $SGE_TASK_ID $SGE_TASK_LAST $JOB_ID $NSLOTS
            """);
    Map<String, String> element =
        Map.of("MILLRACE_ARRAY_INDEX", "7", "MILLRACE_ARRAY", "40", "MILLRACE_ATTEMPT", "41.1");

    assertThat(run(job, element)).isZero();
    assertThat(output()).isEqualTo("7 40 41 9\n7 9 40 3\n");
  }

  @Test
  void aSignalEndsTheScriptItself() throws Exception {
    assertThat(run(job("#!/bin/sh\nkill -9 $$\n"), Map.of())).isEqualTo(128 + 9);
  }

  private JobSpec job(String text, String... arguments) throws IOException {
    directives =
        new ScriptDirectives(
            write(text),
            Map.of("HOME", "/home/ann"),
            NOW,
            ZoneOffset.UTC,
            words -> Optional.empty());
    return directives.job(List.of(arguments));
  }

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("job.sh"), text);
  }

  private int run(JobSpec job, Map<String, String> environment) throws Exception {
    Path input = Files.writeString(folder.resolve("input"), job.stdin());
    Path temporary = Files.createDirectories(folder.resolve("tmp"));
    ProcessBuilder builder = new ProcessBuilder(job.command()).directory(folder.toFile());
    builder.environment().put("TMPDIR", temporary.toString());
    builder.environment().put("MILLRACE_ATTEMPT", "41.1");
    builder.environment().putAll(directives.variables(job));
    builder.environment().putAll(environment);
    builder.redirectInput(input.toFile()).redirectOutput(folder.resolve("out").toFile());
    builder.redirectError(folder.resolve("err").toFile());
    return builder.start().waitFor();
  }

  private String output() throws IOException {
    assertThat(Files.readString(folder.resolve("err"))).isEmpty();
    return Files.readString(folder.resolve("out"), StandardCharsets.UTF_8);
  }

  private List<Path> temporaryFiles() throws IOException {
    try (var files = Files.list(folder.resolve("tmp"))) {
      return files.toList();
    }
  }
}
