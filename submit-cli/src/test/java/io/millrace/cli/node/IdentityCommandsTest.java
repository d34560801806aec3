package io.millrace.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.node.NodeIdentityView;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class IdentityCommandsTest {
  private static final String LIST = "GET /v1/identities";
  private static final NodeIdentityView QUEUE_NODE = identity("q3", "queue-node", null);
  private static final NodeIdentityView EXECUTION_NODE = identity("e3", "execution-node", null);

  private final FakeCluster cluster =
      new FakeCluster()
          .answering(LIST, List.of(EXECUTION_NODE, QUEUE_NODE))
          .answering("DELETE /v1/identities/q3", Map.of())
          .answering("DELETE /v1/identities/e3", Map.of());
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void withoutATerminalAWithdrawalNeedsYesAndSaysWhatItDoes() {
    assertThat(run.run("identity", "withdraw", "q3")).isEqualTo(2);
    assertThat(run.messages())
        .contains("permanently withdraws the identity of queue-node q3")
        .contains("the events that it holds are no longer delivered")
        .contains("use --yes to confirm");
    assertThat(cluster.asked()).containsExactly(LIST);

    CommandRun again = new CommandRun(cluster);
    assertThat(again.run("identity", "withdraw", "e3")).isEqualTo(2);
    assertThat(again.messages()).contains("its jobs run again on other nodes");

    CommandRun sure = new CommandRun(cluster);
    assertThat(sure.run("identity", "withdraw", "q3", "--yes")).as(sure.messages()).isZero();
    assertThat(cluster.asked()).last().isEqualTo("DELETE /v1/identities/q3");
    assertThat(sure.messages())
        .contains("queue-node rescue")
        .contains("delete node-id and node.identity")
        .contains("millrace token join --role queue-node");
  }

  @Test
  void onATerminalTheNameIsTyped() {
    assertThat(run.onTerminal().reading("e3\n").run("identity", "withdraw", "q3")).isEqualTo(2);
    assertThat(run.messages())
        .contains("Type the name of the node")
        .contains("nothing was changed");
    assertThat(cluster.asked()).containsExactly(LIST);

    CommandRun again = new CommandRun(cluster).onTerminal().reading("q3\n");
    assertThat(again.run("identity", "withdraw", "q3")).isZero();
    assertThat(cluster.asked()).last().isEqualTo("DELETE /v1/identities/q3");
  }

  @Test
  void aNameThatNobodyHasIsNotFound() {
    assertThat(run.run("identity", "withdraw", "q9", "--yes")).isEqualTo(3);
    assertThat(run.messages()).contains("q9").contains("identity list --all");
    assertThat(cluster.asked()).containsExactly(LIST);
  }

  @Test
  void allListsWhoWithdrewAnIdentityAndWhen() {
    cluster.answering(LIST + "?all=true", List.of(QUEUE_NODE, identity("q2", "queue-node", "ann")));
    assertThat(run.run("identity", "list", "--all")).isZero();
    assertThat(run.output().lines().toList())
        .anyMatch(line -> line.contains("WITHDRAWN BY"))
        .anyMatch(line -> line.startsWith("q2 ") && line.endsWith(" ann"));

    CommandRun valid = new CommandRun(cluster);
    assertThat(valid.run("identity", "list")).isZero();
    assertThat(valid.output()).doesNotContain("WITHDRAWN");
  }

  private static NodeIdentityView identity(String name, String role, String withdrawnBy) {
    return new NodeIdentityView(
        name,
        role,
        UUID.nameUUIDFromBytes(name.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
        "admin",
        CommandRun.NOW.minusSeconds(60),
        withdrawnBy,
        withdrawnBy == null ? null : CommandRun.NOW);
  }
}
