package io.millrace.tests.golden;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.WebServer;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter.Place;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Sends invalid requests to every route: without a token, with an unauthorized role, for an unknown
 * object, with a body that is not JSON, with invalid numbers. One line for each answer.
 */
final class Refusals {
  private final RecordingClient client;
  private final Map<String, String> files = new TreeMap<>();

  Refusals(RecordingClient client) {
    this.client = client;
  }

  /** The files, by server. */
  Map<String, String> files() {
    return files;
  }

  Refusals play() {
    client.cluster().servers().forEach((server, web) -> files.put(server, all(server, web)));
    return this;
  }

  private String all(String server, WebServer web) {
    StringBuilder text = new StringBuilder();
    List<Route> routes =
        web.routes().stream()
            .sorted(Comparator.comparing(Route::path).thenComparing(Route::method))
            .toList();
    for (Route route : routes) {
      text.append(route.method()).append(' ').append(route.path()).append('\n');
      if (!route.open()) {
        refusals(server, route, text);
      }
    }
    return text.toString();
  }

  private void refusals(String server, Route route, StringBuilder text) {
    String path = route.path().replaceAll("[{<][a-z]+[}>]", "9.9");
    ask(server, null, route, path, null, "nobody", text);
    for (Role role : Role.values()) {
      if (!role.isAttempt() && !route.roles().contains(role)) {
        ask(server, role, route, path, null, "as " + role.label(), text);
        break;
      }
    }
    Role allowed = route.roles().stream().sorted().findFirst().orElseThrow();
    boolean changes = !route.method().equals("GET");
    if (!path.equals(route.path())) {
      ask(server, allowed, route, path, changes ? "{}" : null, "for 9.9", text);
    }
    if (changes) {
      ask(server, allowed, route, path, "{\"a\":", "not JSON", text);
    } else if (!route.path().equals("/v1/stream") && !route.path().equals("/metrics")) {
      String query =
          route.description().names(Place.QUERY).stream()
              .map(name -> name + "=x")
              .collect(Collectors.joining("&", "?", ""));
      if (query.length() > 1) {
        ask(server, allowed, route, path + query, null, "no number", text);
      }
      ask(server, allowed, route, path + "?unknown=x", null, "unknown", text);
    }
  }

  private void ask(
      String server,
      Role role,
      Route route,
      String path,
      String body,
      String what,
      StringBuilder text) {
    JsonNode answer = client.ask(server, role, what).unrecorded().send(route.method(), path, body);
    text.append("  %-12s %d".formatted(what, client.last()));
    if (answer.has("code")) {
      text.append(' ').append(answer.path("code").asText());
      text.append(": ").append(answer.path("detail").asText().replace("\n", " / "));
    }
    text.append('\n');
  }
}
