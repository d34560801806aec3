package io.millrace.platform.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Resolves host names to addresses. Thread-safe; may block. */
@FunctionalInterface
public interface NameResolver {
  /**
   * All addresses of the host, in the order in which they are tried.
   *
   * @param host a name, or an address as text
   */
  List<InetAddress> resolve(String host) throws UnknownHostException;

  /** As the operating system resolves names. */
  static NameResolver system() {
    return host -> List.of(InetAddress.getAllByName(host));
  }
}
