package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.executor.node.ExecutorNodeSettings;
import io.millrace.executor.node.ExecutorNodeSettings.OfferSettings;
import io.millrace.executor.run.LimitSettings;
import io.millrace.loadbalancer.node.LoadBalancerSettings;
import io.millrace.manager.app.CentralSettings;
import io.millrace.platform.config.ConfigurationLoader;
import io.millrace.queuenode.node.QueueNodeSettings;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The files of conf/ are read as the servers read them, so that they stay valid. */
class SampleConfigurationsTest {
  private static final Path ROOT = SourceTree.root();
  private static final Pattern CELL = Pattern.compile("`(\\w+)`");

  static List<Path> serverFiles() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve("conf"))) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("serverFiles")
  void aServerStartsWithIt(Path file) {
    assertThat(new ConfigurationLoader().load(file, role(file))).isNotNull();
  }

  private static Class<? extends Record> role(Path file) {
    String name = file.getFileName().toString();
    if (name.startsWith("manager")) {
      return CentralSettings.class;
    }
    if (name.startsWith("queue-node")) {
      return QueueNodeSettings.class;
    }
    if (name.startsWith("load-balancer")) {
      return LoadBalancerSettings.class;
    }
    assertThat(name).startsWith("executor-node");
    return ExecutorNodeSettings.class;
  }

  @Test
  void theExecutionNodesOfTheClusterOfferTheirMachineOnce() {
    double shares =
        Stream.of("executor-node-1.yaml", "executor-node-2.yaml")
            .map(name -> ROOT.resolve("conf/cluster").resolve(name))
            .map(file -> new ConfigurationLoader().load(file, ExecutorNodeSettings.class))
            .mapToDouble(node -> node.offer().share())
            .sum();

    assertThat(shares).isEqualTo(1);
  }

  @Test
  void everyFileIsListedInTheReadme() throws IOException {
    String readme = Files.readString(ROOT.resolve("conf/README.md"));

    assertThat(serverFiles())
        .allSatisfy(
            file -> {
              String folder = file.getParent().getFileName().toString();
              String name = file.getFileName().toString();
              assertThat(
                      readme.contains(folder + "/*.yaml")
                          || readme.contains(folder + "/") && readme.contains(name))
                  .as(file.toString())
                  .isTrue();
            });
  }

  @Test
  void theManualHasEveryKeyOfOffersAndLimits() throws IOException {
    assertThat(documented("| key of `offer` |")).isEqualTo(keys(OfferSettings.class));
    assertThat(documented("| key of `limits` |")).isEqualTo(keys(LimitSettings.class));
  }

  private static Set<String> documented(String heading) throws IOException {
    return Files.readAllLines(ROOT.resolve("docs/operations.md")).stream()
        .dropWhile(line -> !line.startsWith(heading))
        .skip(2)
        .takeWhile(line -> line.startsWith("|"))
        .flatMap(line -> CELL.matcher(line.split("\\|", 3)[1]).results())
        .map(key -> key.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> keys(Class<? extends Record> settings) {
    return Arrays.stream(settings.getRecordComponents())
        .map(RecordComponent::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
