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
 * Decides which servers to ask: options, then the environment, then the pointer of the most recent
 * {@code up}. A token found through a pointer is never shown to a server that was named otherwise.
 */
public final class Targeting {
  private final Map<String, String> environment;

  public Targeting(Map<String, String> environment) {
    this.environment = environment;
  }

  /**
   * Finds the servers.
   *
   * @param servers named by option; empty for none
   * @param tokenFile named by option; null for none
   * @param data data directory named by option; null for none
   * @throws MillraceException UNREACHABLE when nothing tells where a server is
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
                        "no server is known; start one with 'bin/millrace up', or name one with"
                            + " --server or MILLRACE_URL")),
        token);
  }

  private static Pointer pointerOf(Path data) {
    return PointerFile.ofData(data)
        .read()
        .orElseThrow(
            () ->
                unreachable(
                    "nothing runs on the data directory "
                        + data
                        + "; start it with 'bin/millrace up --data "
                        + data
                        + "'"));
  }

  private static Target pointed(Pointer pointer, Path token) {
    Path known = pointer.tokenFile() == null ? null : Path.of(pointer.tokenFile());
    return new Target(List.of(url(pointer.url())), token != null ? token : known);
  }

  private Path tokenOf(List<URI> servers, Path data) {
    PointerFile file = data == null ? PointerFile.ofUser(environment) : PointerFile.ofData(data);
    return file.read()
        .filter(pointer -> servers.stream().allMatch(url(pointer.url())::equals))
        .map(pointer -> pointer.tokenFile() == null ? null : Path.of(pointer.tokenFile()))
        .orElse(null);
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }

  /** Reads a comma-separated list of URLs. */
  static List<URI> urls(String list) {
    return Arrays.stream(list.split(",", -1)).map(String::strip).map(Targeting::url).toList();
  }

  /** Reads one URL; {@code host:port} is taken as http. */
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
        "'" + text + "' is not a server; write for instance http://127.0.0.1:7700",
        cause);
  }

  private static MillraceException unreachable(String words) {
    return new MillraceException(ErrorCode.UNREACHABLE, words);
  }

  /**
   * Which servers to ask, and with what.
   *
   * @param servers tried in order
   * @param tokenFile null when none is known
   */
  public record Target(List<URI> servers, Path tokenFile) {
    public Target {
      servers = List.copyOf(servers);
    }
  }
}
