package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import io.millrace.tests.process.Distribution.Ended;
import java.nio.file.Files;
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

  @Test
  void aDryRunOfAWorkflowFindsMistakesAndSendsNothing() throws Exception {
    Ended right = millrace("workflow", "submit", "-f", workflow("dry-right", "first"), "--dry-run");
    assertThat(right.exitCode()).as(right.err()).isZero();
    assertThat(right.out()).contains("workflow dry-right: 2 templates, 2 steps");
    assertThat(millrace("workflow", "list").out()).doesNotContain("dry-right");

    Ended cyclic = millrace("workflow", "submit", "-f", workflow("dry-loop", "last"), "--dry-run");
    assertThat(cyclic.exitCode()).isEqualTo(2);
    assertThat(cyclic.err()).contains("templates.last.needs[0]", "the template needs itself");
  }

  @Test
  void eachSpellingOfADryRunHasTheClassesThatCheck() throws Exception {
    String file = workflow("dry-spelled", "first");
    for (List<String> spelling :
        List.of(List.of("--dry-run=true", "-f", file), List.of("-f", file, "--dry-run"))) {
      List<String> command = new ArrayList<>(List.of("workflow", "submit"));
      command.addAll(spelling);
      Ended ended = millrace(command.toArray(String[]::new));
      assertThat(ended.exitCode()).as(spelling + "\n" + ended.err()).isZero();
      assertThat(ended.out()).contains("workflow dry-spelled: 2 templates, 2 steps");
    }
    assertThat(millrace("workflow", "list").out()).doesNotContain("dry-spelled");
  }

  private String workflow(String name, String need) throws Exception {
    Path file = folder.resolve(name + ".yaml");
    Files.writeString(
        file,
        """
        kind: workflow
        name: %s
        templates:
          first: {job: {command: [echo, one]}}
          last: {job: {command: [echo, two]}, needs: [%s]}
        """
            .formatted(name, need));
    return file.toString();
  }

  @Test
  void aMachineJoinsWithTheRoleOfItsTokenOnlyAndIsWithdrawnAgain() throws Exception {
    Path token = folder.resolve("join.token");
    Path data = folder.resolve("e77");
    Ended created = admin("token", "join", "--role", "execution-node", "--out", token.toString());
    assertThat(created.exitCode()).as(created.err()).isZero();

    Ended wrong = join("queue-node", token, folder.resolve("q77"));
    assertThat(wrong.exitCode()).as(wrong.err()).isEqualTo(4);
    assertThat(wrong.err()).contains("the token is for the role execution-node, not queue-node");

    Ended joined = join("execution-node", token, data);
    assertThat(joined.exitCode()).as(joined.err()).isZero();
    assertThat(data.resolve("node.identity")).exists();
    assertThat(joined.out()).contains("executor-node --config");

    Ended unsure = admin("identity", "withdraw", "e77");
    assertThat(unsure.exitCode()).isEqualTo(2);
    assertThat(unsure.err()).contains("use --yes to confirm");
    Ended withdrawn = admin("identity", "withdraw", "e77", "--yes");
    assertThat(withdrawn.exitCode()).as(withdrawn.err()).isZero();
    assertThat(admin("identity", "list").out()).doesNotContain("e77");
    assertThat(admin("identity", "list", "--all").out().lines())
        .anyMatch(line -> line.startsWith("e77 ") && line.endsWith(" admin"));
  }

  private Ended join(String role, Path token, Path data) throws Exception {
    return new Distribution(folder)
        .run(
            "join",
            CLUSTER.address().toString(),
            "--role",
            role,
            "--name",
            "e77",
            "--token-file",
            token.toString(),
            "--data",
            data.toString());
  }

  private Ended admin(String... arguments) throws Exception {
    return as(Role.ADMIN, arguments);
  }

  private Ended millrace(String... arguments) throws Exception {
    return as(Role.OPERATOR, arguments);
  }

  private Ended as(Role role, String... arguments) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--server",
                CLUSTER.address().toString(),
                "--token-file",
                CLUSTER.tokenFile(role).toString()));
    all.addAll(List.of(arguments));
    return new Distribution(folder).run(all.toArray(String[]::new));
  }
}
