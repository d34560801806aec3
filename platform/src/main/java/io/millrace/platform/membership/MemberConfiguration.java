package io.millrace.platform.membership;

import com.hazelcast.config.Config;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.NetworkConfig;
import java.net.Inet4Address;
import java.net.InetAddress;

/**
 * The configuration of Hazelcast members: no discovery, no telemetry, no scripts, short timeouts.
 */
final class MemberConfiguration {
  private static final int FIRST_PORT = 5701;
  private static final int PORTS = 200;

  private MemberConfiguration() {}

  /**
   * The configuration of a member.
   *
   * @param cluster the name unless the settings have one
   */
  static Config of(MembershipSettings settings, String cluster) {
    Config config = new Config();
    config.setClusterName(settings.clusterName().orElse(cluster));
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.heartbeat.interval.seconds", "1");
    config.setProperty("hazelcast.max.no.heartbeat.seconds", "5");
    config.setProperty("hazelcast.operation.call.timeout.millis", "5000");
    config.setProperty("hazelcast.merge.first.run.delay.seconds", "5");
    config.setProperty("hazelcast.merge.next.run.delay.seconds", "5");
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.partition.count", "31");
    // A member without data: what another one stores in the cluster, it stores alone.
    config.setLiteMember(true);
    config.getJetConfig().setEnabled(false);
    config
        .getManagementCenterConfig()
        .setScriptingEnabled(false)
        .setConsoleEnabled(false)
        .setDataAccessEnabled(false);
    config.getMetricsConfig().setEnabled(false);
    config.getSerializationConfig().setJavaSerializationFilterConfig(filter());
    NetworkConfig network = config.getNetworkConfig();
    network.setPort(settings.port() == 0 ? FIRST_PORT : settings.port());
    network.setPortAutoIncrement(settings.port() == 0);
    network.setPortCount(PORTS);
    settings.publicAddress().ifPresent(network::setPublicAddress);
    InetAddress bound = settings.bindAddress();
    config.setProperty(
        "hazelcast.prefer.ipv4.stack", Boolean.toString(bound instanceof Inet4Address));
    network.getInterfaces().setEnabled(true).addInterface(bound.getHostAddress());
    network.getMemcacheProtocolConfig().setEnabled(false);
    JoinConfig join = network.getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setMembers(settings.members());
    return config;
  }

  /**
   * Messages are strings, which need no Java serialization. Hazelcast reports failures with its own
   * exceptions, though, and a call whose answer is refused waits until its timeout.
   */
  private static JavaSerializationFilterConfig filter() {
    JavaSerializationFilterConfig filter = new JavaSerializationFilterConfig();
    filter.setDefaultsDisabled(true);
    filter.getWhitelist().addPrefixes("com.hazelcast.");
    filter
        .getWhitelist()
        .addClasses(
            "java.lang.Enum",
            "java.lang.Object",
            "java.lang.SecurityException",
            "java.lang.NullPointerException",
            "java.lang.ClassCastException",
            "java.lang.ClassNotFoundException",
            "java.lang.UnsupportedOperationException",
            "java.lang.InterruptedException",
            "java.lang.Throwable",
            "java.lang.Exception",
            "java.lang.RuntimeException",
            "java.lang.Error",
            "java.lang.IllegalStateException",
            "java.lang.IllegalArgumentException",
            "java.lang.String",
            "java.lang.StackTraceElement",
            "[Ljava.lang.StackTraceElement;",
            "java.util.Collections$EmptyList",
            "java.util.Collections$UnmodifiableList",
            "java.util.Collections$UnmodifiableCollection",
            "java.util.ArrayList",
            "java.util.concurrent.CancellationException",
            "java.util.concurrent.CompletionException",
            "java.util.concurrent.ExecutionException",
            "java.util.concurrent.TimeoutException",
            "java.io.EOFException",
            "java.io.IOException",
            "java.net.SocketException");
    return filter;
  }
}
