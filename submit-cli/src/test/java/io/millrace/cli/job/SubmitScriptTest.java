package io.millrace.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code millrace submit --script} (J-05). */
class SubmitScriptTest {
  private static final String SCRIPT =
      """
      #!/bin/bash -e
      #SBATCH --job-name=fit --cpus-per-task=4 --mem=8G
      #SBATCH --output=fit.log
      #MILLRACE --memory 2GB --retries 3
      #MILLRACE --tag nightly
      fit "$@"
      """;

  @TempDir private Path folder;
  private final FakeCluster cluster =
      new FakeCluster().answering("POST /v1/jobs", Samples.job(17, "n", JobState.WAITING, null));
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void theTextOfTheScriptTravelsWithTheJob() throws IOException {
    assertThat(submit(SCRIPT, "--", "in put.csv", "--fast")).as(run.messages()).isZero();

    JobSpec job = submitted();
    assertThat(job.stdin()).isEqualTo(SCRIPT);
    assertThat(job.command().subList(0, 2)).containsExactly("/bin/sh", "-c");
    assertThat(job.command().subList(5, job.command().size()))
        .containsExactly("/bin/bash", "-e", "/dev/fd/3", "in put.csv", "--fast");
    assertThat(job.name()).isEqualTo("fit");
    assertThat(run.output()).isEqualTo("17\n");
    assertThat(run.messages()).contains("line 3: --output is not used");
  }

  @Test
  void linesOfMillraceOverrideOthersAndOptionsOverrideBoth() throws IOException {
    assertThat(submit(SCRIPT, "--name", "mine", "--array", "1-3", "--tag", "now")).isZero();

    JobSpec job = submitted();
    assertThat(job.name()).isEqualTo("mine");
    assertThat(job.memory()).hasToString("2GB");
    assertThat(job.cpu()).isEqualTo(4);
    assertThat(job.retry().max()).isEqualTo(3);
    assertThat(job.tags()).containsExactly("nightly", "now");
    assertThat(job.array()).isEqualTo(new ArrayRange(1, 3, 1, 0));
    assertThat(job.env())
        .containsEntry("SLURM_JOB_NAME", "mine")
        .containsEntry("SLURM_ARRAY_TASK_MAX", "3")
        .containsEntry("SLURM_CPUS_PER_TASK", "4");
  }

  @Test
  void wrongLinesOfMillraceAreToldTogether() throws IOException {
    assertThat(
            submit(
                """
                #MILLRACE --memory much
                #MILLRACE --retrys 3
                #MILLRACE --wait
                #MILLRACE ls
                ls
                """))
        .isEqualTo(2);

    assertThat(run.messages())
        .contains(
            "job.sh: line 1: ",
            "'much' is not a size",
            "job.sh: line 2: ",
            "--retrys",
            "job.sh: line 3: '--wait' is not possible in a script; use it on the command line",
            "job.sh: line 4: 'ls' is not possible");
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void anOptionThatALineBeforeHasIsToldWithItsLine() throws IOException {
    assertThat(
            submit(
                """
                #MILLRACE --memory 1GB
                #MILLRACE --cpu 2
                #MILLRACE --tag a --memory 2GB
                #MILLRACE --retrys 3
                #MILLRACE --tag b
                ls
                """))
        .isEqualTo(2);

    assertThat(run.messages().lines().filter(line -> line.contains("job.sh: line ")))
        .hasSize(2)
        .anyMatch(line -> line.contains("job.sh: line 3: option '--memory' (SIZE) should be"))
        .anyMatch(line -> line.contains("job.sh: line 4: ") && line.contains("--retrys"));
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void allThatAScriptCannotHaveIsToldTogether() throws IOException {
    assertThat(
            submit(
                """
                #SBATCH --output=fit.log
                #MILLRACE --memory much
                #SBATCH --nodes=4
                #MILLRACE --retrys 3
                ls
                """))
        .isEqualTo(2);

    assertThat(run.messages().lines().map(line -> line.replaceAll(".*job.sh: ", "")))
        .extracting(line -> line.substring(0, Math.min(7, line.length())))
        .startsWith("line 1:", "line 2:", "line 3:", "line 4:");
    assertThat(run.output()).isEmpty();
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void aScriptThatNeedsMoreThanOneNodeIsRefused() throws IOException {
    assertThat(submit("#SBATCH --nodes=4\nmpirun solve\n")).isEqualTo(2);

    assertThat(run.messages()).contains("job.sh: line 1: --nodes=4").contains("MPI is not started");
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void aScriptAndAFileExcludeOneAnother() throws IOException {
    assertThat(submit("ls\n", "-f", "job.yaml")).isEqualTo(2);
    assertThat(run.messages()).contains("--script: cannot be used with --file");
  }

  private int submit(String script, String... options) throws IOException {
    Path file = Files.writeString(folder.resolve("job.sh"), script);
    return run.run(
        Stream.concat(Stream.of("submit", "--script", file.toString()), Stream.of(options))
            .toArray(String[]::new));
  }

  private JobSpec submitted() {
    assertThat(cluster.asked()).isEqualTo(List.of("POST /v1/jobs"));
    return Json.read(cluster.last().body(), JobSpec.class);
  }
}
