package io.millrace.cli.invocation;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
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
      return pointed(pointerOf(data), token);
    }
    Optional<String> named = variable("MILLRACE_URL");
    if (named.isPresent()) {
      List<URI> urls = urls(named.get());
      return new Target(urls, token != null ? token : tokenOf(urls, null));
    }
    Optional<String> directory = variable("MILLRACE_DATA");
    if (directory.isPresent()) {
      return pointed(pointerOf(Path.of(directory.get())), token);
    }
    return pointed(
        PointerFile.ofUser(environment)
            .read()
            .orElseThrow(
                () ->
                    unreachable(
                        "no server configured; start one with 'bin/millrace up', or specify"
                            + " one with"
                            + " --server or MILLRACE_URL")),
        token);
  }

  private static Pointer pointerOf(Path data) {
    return PointerFile.ofData(data)
        .read()
        .orElseThrow(
            () ->
                unreachable(
                    ("no 'up' is running on data directory %1$s; start it with 'bin/millrace"
                            + " up --data %1$s'")
                        .formatted(data)));
  }

  private static Target pointed(Pointer pointer, Path token) {
    Path known = pointer.tokenFile() == null ? null : Path.of(pointer.tokenFile());
    return new Target(List.of(url(pointer.url())), token != null ? token : known);
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
        .filter(pointer -> servers.stream().allMatch(url(pointer.url())::equals))
        .map(Pointer::tokenFile)
        .map(Path::of);
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }

  /** Reads a comma-separated list of URLs. */
  static List<URI> urls(String list) {
    return Arrays.stream(list.split(",", -1)).map(String::strip).map(Targeting::url).toList();
  }

  /** Reads one URL; {@code host:port} means http. */
  public static URI url(String text) {
    try {
      URI url = new URI(text.contains("://") ? text : "http://" + text);
      if (url.getHost() != null && url.getScheme().startsWith("http")) {
        return url;
      }
    } catch (java.net.URISyntaxException e) {
      throw notUrl(text, e);
    }
    throw notUrl(text, null);
  }

  private static MillraceException notUrl(String text, Exception cause) {
    return new MillraceException(
        ErrorCode.INVALID_REQUEST,
        "'%s' is not a server address; use one such as http://127.0.0.1:7700".formatted(text),
        cause);
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
