package io.millrace.tests.database;

import io.millrace.platform.database.DatabaseSettings;
import io.millrace.tests.drill.cluster.Ports;
import io.millrace.tests.drill.network.Link;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.SplittableRandom;

/** A link to a database that can be cut and on which connections can be held. */
public final class DatabaseLink implements AutoCloseable {
  private final Link link;
  private final DatabaseSettings settings;

  private DatabaseLink(Link link, DatabaseSettings settings) {
    this.link = link;
    this.settings = settings;
  }

  /** A link to that database, from a free port. */
  public static DatabaseLink to(DatabaseSettings direct) throws IOException {
    URI server = URI.create(direct.url().substring("jdbc:".length()));
    int port = new Ports(new SplittableRandom()).free();
    Link link =
        new Link("database", port, new InetSocketAddress(server.getHost(), server.getPort()));
    String url = "jdbc:mysql://127.0.0.1:" + port + server.getPath() + "?sslMode=DISABLED";
    return new DatabaseLink(link, DatabaseSettings.of(url, direct.user(), direct.password()));
  }

  public Link link() {
    return link;
  }

  /** The database over this link. */
  public DatabaseSettings settings() {
    return settings;
  }

  @Override
  public void close() {
    link.close();
  }
}
