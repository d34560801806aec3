package io.millrace.tests.drill.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes the configuration file of each process of a drill's cluster. */
public final class Configurations {
  private final Path folder;
  private final Shape shape;
  private final Links links;
  private final Map<String, Integer> http;
  private final Map<String, Integer> members;

  public Configurations(
      Path folder,
      Shape shape,
      Links links,
      Map<String, Integer> http,
      Map<String, Integer> members) {
    this.folder = folder;
    this.shape = shape;
    this.links = links;
    this.http = http;
    this.members = members;
  }

  /** Writes all of them; they are read at each start. */
  public void write() throws IOException {
    for (String name : shape.centralNames()) {
      write(name, central(name));
    }
    for (String name : shape.queueNodeNames()) {
      write(name, follower(name) + web(name, "cluster>" + name) + membership(name));
    }
    for (String name : shape.executionNodeNames()) {
      write(
          name,
          follower(name) + web(name, "readers>" + name) + "slots: 8\nlimits: {allowRoot: true}\n");
    }
    for (String name : shape.balancerNames()) {
      write(name, follower(name) + web(name, "producers>" + name) + membership(name));
    }
  }

  public Path file(String name) {
    return folder.resolve(name + ".yaml");
  }

  private void write(String name, String settings) throws IOException {
    Files.writeString(
        file(name), "name: " + name + "\ndataDirectory: data/" + name + "\n" + settings);
  }

  private String central(String name) {
    String database =
        shape
            .database()
            .map(
                server ->
                    """
                    database:
                      url: jdbc:mysql://127.0.0.1:%d/%s?sslMode=DISABLED
                      user: "%s"
                      password: "%s"
                    """
                        .formatted(
                            links.get(name + ">database").port(),
                            server.name(),
                            server.user(),
                            server.password()))
            .orElse("");
    return "tokensDirectory: tokens\nweb: {port: " + http.get(name) + "}\n" + database;
  }

  private String follower(String name) {
    String centrals =
        shape.centralNames().stream()
            .map(central -> links.get(name + ">" + central).address().toString())
            .collect(Collectors.joining(", "));
    return """
        central: [%s]
        publicKeyFile: tokens/cluster.pub
        """
        .formatted(centrals);
  }

  private String web(String name, String link) {
    return """
        web:
          port: %d
          advertised: %s
        """
        .formatted(http.get(name), links.get(link).address());
  }

  private String membership(String name) {
    return """
        membership:
          port: %d
          publicAddress: "%s"
        """
        .formatted(members.get(name), memberAddress(name));
  }

  private String memberAddress(String node) {
    return "127.0.0.1:" + links.get("members>" + node).port();
  }
}
