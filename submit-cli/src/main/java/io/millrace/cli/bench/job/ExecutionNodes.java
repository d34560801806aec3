package io.millrace.cli.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.executor.node.ExecutorNode;
import io.millrace.executor.node.ExecutorNodeSettings;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.platform.config.ConfigurationLoader;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Execution nodes in this process, each with another central manager to speak to first. Closing it
 * ends them.
 */
final class ExecutionNodes implements AutoCloseable {
  private static final Duration LOOK = Duration.ofMillis(20);
  private static final int LOOKS = 1_500;

  private final Path folder;
  private final List<String> names = new ArrayList<>();
  private final List<ExecutorNode> nodes = new ArrayList<>();

  private ExecutionNodes(Path folder) {
    this.folder = folder;
  }

  /** Starts them and waits until they are known. */
  static ExecutionNodes start(Path folder, CentralManagers managers, int count, int slots)
      throws IOException, InterruptedException {
    ExecutionNodes all = new ExecutionNodes(folder);
    try {
      for (int number = 0; number < count; number++) {
        all.start("e" + (number + 1), managers, number, slots);
      }
      all.awaitRegistration();
      return all;
    } catch (RuntimeException | IOException | InterruptedException e) {
      all.close();
      throw e;
    }
  }

  private void start(String name, CentralManagers managers, int number, int slots)
      throws IOException {
    Map<String, Object> settings =
        Map.of(
            "name", name,
            "dataDirectory", data(name).toString(),
            "central",
                managers.addresses(number % managers.size()).stream()
                    .map(Object::toString)
                    .toList(),
            "publicKeyFile", managers.publicKey().toString(),
            "tokenFile", managers.nodeToken().toString(),
            "slots", slots);
    Path config = Files.writeString(folder.resolve(name + ".yaml"), Json.write(settings));
    ExecutorNode node =
        new ExecutorNode(
            new ConfigurationLoader().load(config, ExecutorNodeSettings.class),
            ExecutorNode.Surroundings.ofThisProcess());
    node.start();
    nodes.add(node);
    names.add(name);
  }

  private void awaitRegistration() throws InterruptedException {
    Waiter waiter = new Waiter();
    for (int looks = 0; !nodes.stream().allMatch(ExecutorNode::isRegistered); looks++) {
      if (looks == LOOKS) {
        throw new MillraceException(ErrorCode.TIMEOUT, "the execution nodes did not register");
      }
      waiter.await(LOOK);
    }
  }

  List<String> names() {
    return List.copyOf(names);
  }

  /** The files of an attempt on one of the nodes. */
  AttemptDirectory files(String node, AttemptId attempt) {
    return new AttemptDirectory(data(node).resolve("attempts"), attempt);
  }

  private Path data(String name) {
    return folder.resolve(name);
  }

  @Override
  public void close() {
    nodes.forEach(ExecutorNode::stop);
  }
}
