package io.millrace.tests.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.platform.identity.PrivateFiles;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import io.millrace.tests.cluster.Jobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Jobs that try to have the execution node read, delete or tell what is not theirs. What jobs of
 * other users try is in {@code JobsOfOtherUsersTest}.
 */
class HostileJobsTest {
  private static final Duration SOON = Duration.ofMinutes(3);
  private static final String SECRET = "hunter2";

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  @Test
  void noShellReadsTheArgumentsOfAJob() throws Exception {
    Path made = CLUSTER.folder("hostile-arguments").resolve("made");
    String argument = "$(touch %1$s) `touch %1$s`; touch %1$s # ' \" \\ $HOME *".formatted(made);

    JobView job = run(JobDraft.command("printf", "%s|", argument, "; touch " + made, "$0"));

    assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(output(job)).isEqualTo(argument + "|; touch " + made + "|$0|");
    assertThat(made).doesNotExist();
  }

  @Test
  void aSecretOfAQueueOrOfAnotherUserIsNotGivenToAJobThatNamesIt() throws Exception {
    Path secrets = CLUSTER.dataDirectory("e1").resolve("secrets");
    PrivateFiles.write(secrets.resolve("queues/payments/hostile"), SECRET);
    PrivateFiles.write(secrets.resolve("users/somebody-else/hostile"), SECRET);
    PrivateFiles.write(secrets.resolve("hostile-of-all"), SECRET);
    JobView job = run(JobDraft.command("sh", "-c", "echo $T").secrets(Map.of("T", "hostile")));
    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(job.reason()).contains("secret 'hostile'").doesNotContain(SECRET);
    assertThat(output(job)).isEmpty();
    for (String name :
        List.of(
            "queues/payments/hostile",
            "users/somebody-else/hostile",
            "../secrets/hostile-of-all",
            secrets.resolve("hostile-of-all").toString())) {
      JobDraft named = JobDraft.command("sh", "-c", "echo $T").secrets(Map.of("T", name));
      assertThatThrownBy(() -> CLUSTER.central().submit(named.spec()))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("without '/'");
    }
    JobView permitted =
        run(JobDraft.command("sh", "-c", "echo $T").secrets(Map.of("T", "hostile-of-all")));
    assertThat(output(permitted)).isEqualTo(SECRET + "\n");
  }

  /** The agent reads outputs with its own rights, which may be those of root. */
  @Test
  void anOutputThatAJobReplacesByALinkShowsNothingOfWhatItLeadsTo() throws Exception {
    Path other = CLUSTER.folder("hostile-links").resolve("other");
    Files.writeString(other, SECRET);

    JobView job =
        run(
            JobDraft.command(
                "sh", "-c", "for f in stdout stderr; do ln -sf $1 ../$f; done", "x", "" + other));

    assertThat(Files.isSymbolicLink(attempt(job).resolve("stdout"))).isTrue();
    assertThat(output(job)).doesNotContain(SECRET);
    assertThat(CLUSTER.central().job(job.id()).toString()).doesNotContain(SECRET);
    assertThat(other).hasContent(SECRET);
  }

  @Test
  void theDeletionOfAJobsFolderFollowsNoLink() throws Exception {
    Path other = CLUSTER.folder("hostile-deletion");
    Path precious = Files.writeString(other.resolve("precious"), SECRET);

    JobView job =
        run(
            JobDraft.command(
                "sh", "-c", "mkdir -p a/b && ln -s $1 a/b/link && ln -s $1 link", "x", "" + other));

    assertThat(job.state()).as(job.reason()).isEqualTo(JobState.SUCCEEDED);
    Awaitility.await("the deletion of the working directory")
        .atMost(SOON)
        .until(() -> Files.notExists(attempt(job).resolve("work")));
    assertThat(precious).hasContent(SECRET);
  }

  private static JobView run(JobDraft draft) {
    return new Jobs(CLUSTER.central()).ended(CLUSTER.central().submit(draft.spec()).id());
  }

  private static String output(JobView job) throws IOException {
    return new Jobs(CLUSTER.central(Role.VIEWER)).output(job.id(), 0, "stdout");
  }

  private static Path attempt(JobView job) {
    return CLUSTER.dataDirectory("e1").resolve("attempts").resolve(job.id() + "." + job.attempt());
  }
}
