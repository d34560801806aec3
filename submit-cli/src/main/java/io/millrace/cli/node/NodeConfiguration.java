package io.millrace.cli.node;

import java.net.URI;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The configuration of a node that has joined; what is not said is as usual. Pure.
 *
 * @param role what it runs
 * @param name unique in the cluster
 * @param central the central managers
 * @param host address to bind, by which the others reach it
 * @param remote whether that is not a loopback address
 * @param port to listen on
 * @param members host and port of members of the cluster view; empty for none known
 */
record NodeConfiguration(
    JoinRole role,
    String name,
    List<URI> central,
    String host,
    boolean remote,
    int port,
    List<String> members) {
  /** As YAML, with paths relative to the file's folder. */
  String text(String publicKeyFile, String tokenFile) {
    StringBuilder text = new StringBuilder();
    text.append("# Written by 'millrace join'; more keys are explained in conf/cluster/.\n");
    text.append("name: ").append(quoted(name)).append('\n');
    text.append("dataDirectory: data\n");
    text.append("central: ").append(list(central)).append('\n');
    text.append("publicKeyFile: ").append(publicKeyFile).append('\n');
    text.append("tokenFile: ").append(tokenFile).append('\n');
    text.append("web:\n");
    text.append("  host: ").append(quoted(host)).append('\n');
    text.append("  port: ").append(port).append('\n');
    if (remote) {
      text.append("  allowRemote: true   # this port is for the cluster's private network only\n");
    }
    if (role.member()) {
      text.append("membership:\n");
      text.append("  host: ").append(quoted(host)).append('\n');
      text.append("  members: ").append(list(members)).append('\n');
    }
    return text.toString();
  }

  private static String list(List<?> things) {
    return things.stream()
        .map(String::valueOf)
        .map(NodeConfiguration::quoted)
        .collect(Collectors.joining(", ", "[", "]"));
  }

  // What others named stands between quotes: YAML reads 'on' as a truth and '0x1' as a number.
  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
