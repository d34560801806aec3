package io.millrace.cli.invocation;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.WebAddress;
import io.millrace.cli.invocation.PointerFile.Pointer;
import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Selects the servers: from options, then the environment, then the pointer of the most recent
 * {@code up}. A token found through a pointer is only sent to the server of that pointer.
 */
public final class Targeting {
  private final Map<String, String> environment;

  public Targeting(Map<String, String> environment) {
    this.environment = environment;
  }

  /**
   * Finds the servers.
   *
   * @param servers given by option; empty for none
   * @param tokenFile given by option; null for none
   * @param data data directory given by option; null for none
   * @throws MillraceException UNREACHABLE if no server is configured
   */
  public Target target(List<URI> servers, Path tokenFile, Path data) {
    Path token =
        tokenFile != null ? tokenFile : variable("MILLRACE_TOKEN_FILE").map(Path::of).orElse(null);
    if (!servers.isEmpty()) {
      return new Target(servers, token != null ? token : tokenOf(servers, data));
    }
    if (data != null) {
      return ofData(data, token);
    }
    Optional<String> named = variable("MILLRACE_URL");
    if (named.isPresent()) {
      List<URI> urls = urls("MILLRACE_URL", named.get());
      return new Target(urls, token != null ? token : tokenOf(urls, null));
    }
    Optional<String> directory = variable("MILLRACE_DATA");
    return directory.isPresent()
        ? ofData(Path.of(directory.get()), token)
        : pointed(
            PointerFile.ofUser(environment),
            "no server configured; start one with 'bin/millrace up', or specify one with --server or MILLRACE_URL",
            token);
  }

  private static Target ofData(Path data, Path token) {
    return pointed(
        PointerFile.ofData(data),
        "no 'up' is running on data directory %1$s; start it with 'bin/millrace up --data %1$s'"
            .formatted(data),
        token);
  }

  private static Target pointed(PointerFile file, String missing, Path token) {
    Pointer pointer = file.read().orElseThrow(() -> unreachable(missing));
    Path known = pointer.tokenFile() == null ? null : Path.of(pointer.tokenFile());
    return new Target(List.of(url(file, pointer)), token != null ? token : known);
  }

  private static URI url(PointerFile file, Pointer pointer) {
    return url(file.path().toString(), pointer.url());
  }

  // Of the data directory that was named, else of the most recent 'up'; only if it is this server.
  private Path tokenOf(List<URI> servers, Path data) {
    Optional<Path> directory = Optional.ofNullable(data);
    if (directory.isEmpty()) {
      directory = variable("MILLRACE_DATA").map(Path::of);
    }
    return directory.map(PointerFile::ofData).stream()
        .flatMap(named -> token(named, servers).stream())
        .findFirst()
        .or(() -> data != null ? Optional.empty() : token(PointerFile.ofUser(environment), servers))
        .orElse(null);
  }

  private static Optional<Path> token(PointerFile file, List<URI> servers) {
    return file.read()
        .filter(pointer -> servers.stream().allMatch(url(file, pointer)::equals))
        .map(Pointer::tokenFile)
        .map(Path::of);
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }

  /** Reads a comma-separated list of URLs. */
  static List<URI> urls(String source, String list) {
    return Arrays.stream(list.split(",", -1)).map(text -> url(source, text.strip())).toList();
  }

  /**
   * Reads the URL of a server; {@code host:port} means http.
   *
   * @param source where it was written, for the error
   * @throws MillraceException INVALID_REQUEST if it is none
   */
  public static URI url(String source, String text) {
    try {
      return WebAddress.ofServer(text);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, source + ": " + e.getMessage(), e);
    }
  }

  private static MillraceException unreachable(String message) {
    return new MillraceException(ErrorCode.UNREACHABLE, message);
  }

  /**
   * Servers and the token for them.
   *
   * @param servers tried in order
   * @param tokenFile null if none is known
   */
  public record Target(List<URI> servers, Path tokenFile) {
    public Target {
      servers = List.copyOf(servers);
    }
  }
}
