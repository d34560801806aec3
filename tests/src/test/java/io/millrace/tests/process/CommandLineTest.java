package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import io.millrace.tests.process.Distribution.Ended;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The command line as a process, with a running cluster. */
class CommandLineTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  @TempDir Path folder;

  @BeforeAll
  static void needTheDistribution() {
    Distribution.assumeBuilt();
  }

  @Test
  void submitAndWaitPrintsTheJobsOutputAndNothingElse() throws Exception {
    Ended ended = millrace("submit", "--wait", "--", "echo", "hello");
    assertThat(ended.out()).isEqualTo("hello\n");
    assertThat(ended.exitCode()).as(ended.err()).isZero();
  }

  @Test
  void submitAndWaitExitsWithTheJobsExitCode() throws Exception {
    assertThat(millrace("submit", "--wait", "--", "false").exitCode()).isEqualTo(1);
    assertThat(millrace("submit", "--wait", "--", "sh", "-c", "exit 42").exitCode()).isEqualTo(42);
    assertThat(millrace("submit", "--wait", "--", "sh", "-c", "kill -TERM $$").exitCode())
        .isEqualTo(128 + 15);
  }

  @Test
  void argumentsReachTheJobUnchanged() throws Exception {
    Ended ended = millrace("submit", "--wait", "--", "printf", "%s|", "a b", "", "$HOME", "--wait");
    assertThat(ended.out()).isEqualTo("a b||$HOME|--wait|");
  }

  @Test
  void anUnknownCommandIsReportedAsAUsageError() throws Exception {
    Ended ended = millrace("frobnicate");
    assertThat(ended.exitCode()).isEqualTo(2);
    assertThat(ended.out()).isEmpty();
    assertThat(ended.err()).contains("frobnicate");
  }

  @Test
  void anUnreachableServerIsReportedWithAHint() throws Exception {
    Ended ended =
        new Distribution(folder)
            .run(
                "job",
                "list",
                "--server",
                "http://127.0.0.1:9",
                "--token-file",
                CLUSTER.tokenFile(Role.VIEWER).toString());
    assertThat(ended.exitCode()).isEqualTo(5);
    assertThat(ended.err()).contains("127.0.0.1:9", "millrace up");
  }

  private Ended millrace(String... arguments) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--server",
                CLUSTER.address().toString(),
                "--token-file",
                CLUSTER.tokenFile(Role.OPERATOR).toString()));
    all.addAll(List.of(arguments));
    return new Distribution(folder).run(all.toArray(String[]::new));
  }
}
