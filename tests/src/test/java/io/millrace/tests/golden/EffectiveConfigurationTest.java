package io.millrace.tests.golden;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataSize;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EffectiveConfigurationTest {

  record Store(String url, String password, Optional<String> apiToken) {}

  record Server(
      String name,
      Duration patience,
      DataSize body,
      Store store,
      List<Store> replicas,
      List<String> hosts,
      Map<String, String> labels) {}

  @Test
  void theTreeIsShownAsYamlWithoutItsSecrets() {
    Server server =
        new Server(
            "alpha",
            Duration.ofSeconds(90),
            new DataSize(64 * 1024),
            new Store("jdbc:mysql://root:hunter2@db/x", "hunter2", Optional.of("hunter2")),
            List.of(
                new Store("jdbc:mysql://db/x?password=hunter2&a=b", "hunter2", Optional.empty())),
            List.of(),
            Map.of("secretSauce", "hunter2"));

    assertThat(EffectiveConfiguration.print(server))
        .isEqualTo(
            """
            name: alpha
            patience: 1m30s
            body: 64KB
            store:
              url: jdbc:mysql://root:********@db/x
              password: ********
              apiToken: ********
            replicas:
              -
                url: jdbc:mysql://db/x?password=********&a=b
                password: ********
            hosts: []
            labels:
              secretSauce: ********
            """);
  }
}
