package io.millrace.executor.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.DataSize;
import io.millrace.api.MillraceException;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.executor.run.LimitSettings;
import io.millrace.executor.run.LogRetention.LogRetentionSettings;
import io.millrace.executor.supervision.SupervisionSettings.LogLimits;
import io.millrace.platform.config.ConfigurationLoader;
import io.millrace.platform.http.WebSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExecutorNodeSettingsTest {
  private static final Path FILE = Path.of("/etc/millrace/execution-node.yaml");
  private static final String NEEDED =
      """
      name: e7
      dataDirectory: data
      central: [http://127.0.0.1:8470]
      publicKeyFile: cluster.pub
      """;

  @Test
  void hasDefaultsForAllButTheNodesOwnPlace() {
    ExecutorNodeSettings settings = read(NEEDED);

    assertThat(settings)
        .isEqualTo(
            ExecutorNodeSettings.of(
                "e7",
                Path.of("/etc/millrace/data"),
                List.of(URI.create("http://127.0.0.1:8470")),
                Path.of("/etc/millrace/cluster.pub")));
    assertThat(settings.slots())
        .isEqualTo(Math.max(4, 2 * Runtime.getRuntime().availableProcessors()));
    assertThat(settings.pools()).containsExactly("default");
    assertThat(settings.backend()).isEqualTo("processes");
    assertThat(settings.backendSettings()).isEmpty();
    assertThat(settings.stopWithin()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.keepRunningOnStop()).isFalse();
  }

  @Test
  void readsEveryKey() {
    ExecutorNodeSettings settings =
        read(
            NEEDED
                + """
                identityFile: e7.identity
                web: {port: 9000}
                slots: 3
                pools: [reports]
                backend: slurm
                backendSettings: {partition: long}
                diskReserve: 1GB
                logs: {successfulWorkers: 5, others: 6, failed: 7, age: 2h}
                stopWithin: 20s
                keepRunningOnStop: true
                """);

    assertThat(settings.web()).isEqualTo(WebSettings.loopback(9000));
    assertThat(settings.identityFile()).contains(Path.of("/etc/millrace/e7.identity"));
    assertThat(settings.slots()).isEqualTo(3);
    assertThat(settings.pools()).containsExactly("reports");
    assertThat(settings.backend()).isEqualTo("slurm");
    assertThat(settings.backendSettings()).isEqualTo(Map.of("partition", "long"));
    assertThat(settings.diskReserve()).isEqualTo(new DataSize(1L << 30));
    assertThat(settings.logs()).isEqualTo(new LogRetentionSettings(5, 6, 7, Duration.ofHours(2)));
    assertThat(settings.stopWithin()).isEqualTo(Duration.ofSeconds(20));
    assertThat(settings.keepRunningOnStop()).isTrue();
  }

  @Test
  void nodesThatShareAMachineOfferItOnce() {
    NodeCapacity whole = read(NEEDED).offer().with(1);
    NodeCapacity half = read(NEEDED + "offer: {share: 0.5}").offer().with(1);
    NodeCapacity third = ExecutorNodeSettings.defaults().offer().sharedBy(3).with(1);

    assertThat(whole.cpus()).isEqualTo(Runtime.getRuntime().availableProcessors());
    assertThat(2 * half.cpus()).isEqualTo(whole.cpus());
    assertThat(2 * half.memoryBytes())
        .isBetween(whole.memoryBytes() - (2 << 20), whole.memoryBytes());
    assertThat(3 * third.cpus()).isBetween(whole.cpus() - 0.003, whole.cpus());
    assertThat(3 * third.memoryBytes())
        .isBetween(whole.memoryBytes() - (3 << 20), whole.memoryBytes());
  }

  @Test
  void whatIsStatedIsOfferedWhateverTheShare() {
    NodeCapacity stated =
        read(NEEDED + "offer: {share: 0.5, cpus: 3.5, memory: 2GB}").offer().with(1);

    assertThat(stated.cpus()).isEqualTo(3.5);
    assertThat(stated.memoryBytes()).isEqualTo(2L << 30);
    assertThat(read(NEEDED + "offer: {cpus: 0, memory: 0B}").offer().with(1).cpus()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-0.5", "1.01"})
  void aShareOutsideOfTheMachineIsRefused(String share) {
    assertThatThrownBy(() -> read(NEEDED + "offer: {share: " + share + "}"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("offer.share must be above 0 and at most 1");
  }

  @Test
  void eachLimitIsUsableAlone() {
    LimitSettings usual = LimitSettings.defaults();
    assertThat(limits("logHead: 1MB").logs())
        .isEqualTo(new LogLimits(new DataSize(1L << 20), usual.logTail()));
    assertThat(limits("logTail: 1MB").logs().tail()).isEqualTo(new DataSize(1L << 20));
    assertThat(limits("secretsDirectory: secrets").secretsDirectory())
        .hasValue(Path.of("/etc/millrace/secrets"));
    assertThat(limits("runAsUsers: [alice]").runAsUsers()).containsExactly("alice");
    assertThat(limits("defaultUser: jobs").defaultUser()).hasValue("jobs");
    assertThat(limits("allowRoot: true").allowRoot()).isTrue();
    assertThat(limits("controlGroup: /sys/fs/cgroup/jobs").controlGroup())
        .hasValue(Path.of("/sys/fs/cgroup/jobs"));
    assertThatThrownBy(() -> limits("defaultUser: jobs, allowRoot: true"))
        .hasMessageContaining("either defaultUser or allowRoot");
  }

  private static LimitSettings limits(String one) {
    return read(NEEDED + "limits: {" + one + "}\n").limits();
  }

  @Test
  void namesWhatIsMissing() {
    assertThatThrownBy(() -> read("slots: 2"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("name")
        .hasMessageContaining("dataDirectory")
        .hasMessageContaining("central")
        .hasMessageContaining("publicKeyFile");
  }

  private static ExecutorNodeSettings read(String yaml) {
    return new ConfigurationLoader().parse(yaml, FILE, ExecutorNodeSettings.class);
  }
}
