package io.millrace.cli.server;

import io.millrace.cli.server.EmbeddedCluster.UpSettings;
import io.millrace.executor.node.ExecutorNodeSettings;
import io.millrace.loadbalancer.node.LoadBalancerSettings;
import io.millrace.manager.app.CentralSettings;
import io.millrace.manager.queue.QueueSettings;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.membership.MembershipSettings;
import io.millrace.queuenode.node.QueueNodeSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** The settings of each role in {@code up}: defaults, with directories below the data directory. */
final class EmbeddedSettings {
  private final UpSettings up;
  private final Path tokens;

  EmbeddedSettings(UpSettings up) {
    this.up = up;
    this.tokens = up.data().resolve("tokens");
  }

  CentralSettings central() {
    return CentralSettings.defaults()
        .withDataDirectory(up.data().resolve("central"))
        .withTokensDirectory(tokens)
        .withWeb(WebSettings.loopback(up.port()))
        .withQueues(
            up.quickSamples()
                ? new QueueSettings(Duration.ofSeconds(1))
                : QueueSettings.defaults());
  }

  /** A cluster name of its own, so that it never joins others on this machine. */
  MembershipSettings membership() {
    MembershipSettings usual = MembershipSettings.defaults();
    return new MembershipSettings(
        "up-" + UUID.randomUUID(), usual.host(), usual.port(), usual.members());
  }

  QueueNodeSettings queueNode(String name, URI central) {
    return QueueNodeSettings.of(
            name, up.data().resolve(name), List.of(central), publicKey(), nodeToken())
        .sharingItsProcess();
  }

  LoadBalancerSettings loadBalancer(String name, URI central) {
    int port = up.port() == 0 ? 0 : up.port() + 1;
    LoadBalancerSettings usual = LoadBalancerSettings.defaults();
    return new LoadBalancerSettings(
        name,
        up.data().resolve(name),
        List.of(central),
        publicKey(),
        nodeToken(),
        WebSettings.loopback(port),
        usual.bodyMemory(),
        usual.membership());
  }

  ExecutorNodeSettings executorNode(String name, URI central) {
    ExecutorNodeSettings usual =
        ExecutorNodeSettings.of(
            name, up.data().resolve(name), List.of(central), publicKey(), nodeToken());
    return new ExecutorNodeSettings(
        usual.name(),
        usual.dataDirectory(),
        usual.central(),
        usual.publicKeyFile(),
        usual.tokenFile(),
        usual.web(),
        up.slots() == 0 ? usual.slots() : up.slots(),
        usual.offer(),
        usual.pools(),
        usual.diskReserve(),
        usual.logs(),
        usual.limits(),
        usual.stopWithin(),
        usual.keepRunningOnStop());
  }

  private Path publicKey() {
    return tokens.resolve(KeyFiles.PUBLIC);
  }

  private Path nodeToken() {
    return TokenFiles.of(tokens, Role.NODE);
  }
}
