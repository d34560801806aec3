package io.millrace.tests.drill.cluster;

import java.net.InetSocketAddress;
import java.net.URI;

/**
 * The database on a server that several central managers share.
 *
 * @param address of the server
 * @param name of the database
 * @param user a user who may create tables in it
 * @param password of the user
 */
public record SharedDatabase(InetSocketAddress address, String name, String user, String password) {
  /** Parses a URL such as {@code jdbc:mysql://HOST:PORT/NAME}. */
  public static SharedDatabase of(String url, String user, String password) {
    URI uri = URI.create(url.substring("jdbc:".length()));
    int port = uri.getPort() < 0 ? 3306 : uri.getPort();
    return new SharedDatabase(
        new InetSocketAddress(uri.getHost(), port), uri.getPath().substring(1), user, password);
  }
}
