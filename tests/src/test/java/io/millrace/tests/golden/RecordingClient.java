package io.millrace.tests.golden;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.Json;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.WebServer;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.NodeCredential;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import io.millrace.tests.cluster.NodeSigner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;

/** Sends requests to the servers of a cluster and records the exchanges. Not thread-safe. */
final class RecordingClient {
  private static final List<String> HEADERS =
      List.of("content-type", "location", "retry-after", "millrace-next", "set-cookie", "allow");
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Cluster cluster;
  private final NodeSigner signer;
  private final HttpClient http = HttpClient.newHttpClient();
  private final Map<Role, String> tokens = new EnumMap<>(Role.class);
  private final Map<String, List<Exchange>> chapters = new TreeMap<>();
  private final List<Exchange> exchanges = new ArrayList<>();
  private String chapter;
  private int last;

  RecordingClient(Cluster cluster) {
    this.cluster = cluster;
    this.signer = new NodeSigner(cluster.tokenFile(Role.ADMIN).getParent());
    for (Role role : Role.values()) {
      if (!role.isAttempt() && !role.isNode()) {
        tokens.put(role, cluster.token(Principal.of(role, "golden")));
      }
    }
  }

  /** Records the following exchanges in the file of that name below the server's folder. */
  RecordingClient chapter(String name) {
    chapter = name;
    return this;
  }

  Cluster cluster() {
    return cluster;
  }

  Map<String, List<Exchange>> chapters() {
    return chapters;
  }

  /** Every exchange, also those that are not recorded. */
  List<Exchange> exchanges() {
    return exchanges;
  }

  /** The status of the last answer. */
  int last() {
    return last;
  }

  String token(Role role) {
    return tokens.get(role);
  }

  /** Sends a request to the central manager that is not recorded. */
  JsonNode look(String path) {
    return manager(Role.VIEWER, "").unrecorded().get(path);
  }

  /** A request to the central manager. */
  Asked manager(Role role, String title) {
    return new Asked("manager", role, title);
  }

  Asked ask(String server, Role role, String title) {
    return new Asked(server, role, title);
  }

  /** Builds and sends one request. Single quotes in its JSON body stand for double quotes. */
  final class Asked {
    private final String server;
    private final Role role;
    private final String title;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private String token;
    private NodeCredential node;
    private String secret;
    private boolean shapeOnly;
    private String without;
    private boolean unrecorded;
    private int first = Integer.MAX_VALUE;
    private boolean lineOnly;

    private Asked(String server, Role role, String title) {
      this.server = server;
      this.role = role;
      this.title = title;
    }

    Asked header(String name, String value) {
      headers.put(name, value);
      return this;
    }

    /** Sends the secret of an attempt, which is not recorded. */
    Asked secret(String of) {
      secret = of;
      return this;
    }

    /** Signs as a node that does not run. */
    Asked as(String name, String id) {
      node = signer.credential(new NodeIdentity(role, name, UUID.fromString(id)));
      return this;
    }

    /** Signs as a node of the cluster. */
    Asked as(String name) {
      node = signer.credential(cluster.dataDirectory(name));
      return this;
    }

    /** Uses a token other than that of the role. */
    Asked token(String other) {
      token = other;
      return this;
    }

    /** Compares only names and types of the answer's fields. */
    Asked shape() {
      shapeOnly = true;
      return this;
    }

    /** Records the answer without a field that it has or not, by when the cluster got to it. */
    Asked without(String field) {
      without = field;
      return this;
    }

    /** Does not record the request. */
    Asked unrecorded() {
      unrecorded = true;
      return this;
    }

    /** Reads only that many bytes of an endless answer. */
    Asked first(int bytes) {
      first = bytes;
      return this;
    }

    /** Reads only the first line of an endless answer. */
    Asked firstLine() {
      lineOnly = true;
      return this;
    }

    JsonNode get(String path) {
      return send("GET", path, null);
    }

    JsonNode delete(String path) {
      return send("DELETE", path, null);
    }

    JsonNode post(String path) {
      return send("POST", path, null);
    }

    JsonNode post(String path, String json) {
      return send("POST", path, json.replace('\'', '"'));
    }

    JsonNode put(String path, String json) {
      return send("PUT", path, json.replace('\'', '"'));
    }

    JsonNode send(String method, String path, String body) {
      HttpRequest.BodyPublisher publisher =
          body == null
              ? HttpRequest.BodyPublishers.noBody()
              : HttpRequest.BodyPublishers.ofString(body);
      WebServer web = cluster.servers().get(server);
      HttpRequest.Builder request =
          HttpRequest.newBuilder(web.address().resolve(path))
              .timeout(PATIENCE)
              .method(method, publisher);
      if (body != null && !headers.containsKey("Content-Type")) {
        request.header("Content-Type", "application/json");
      }
      headers.forEach(request::header);
      if (secret != null) {
        request.header("Millrace-Attempt-Secret", secret);
      }
      String bearer = token != null ? token : role == null ? null : tokens.get(role);
      if (bearer != null) {
        request.header("Authorization", "Bearer " + bearer);
      }
      if (node == null && token == null && role != null && role.isNode()) {
        as("golden-" + role.label(), new UUID(5, role.ordinal()).toString());
      }
      if (node != null) {
        String plain = CallSigner.path(web.address().resolve(path));
        String audience = NodeSigner.audience(server);
        request.header(
            "Authorization", signer.authorization(node, web.address(), audience, method, plain));
      }
      try {
        HttpResponse<InputStream> answer =
            http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        String text;
        try (InputStream stream = answer.body()) {
          byte[] read = lineOnly ? line(stream) : stream.readNBytes(first);
          text = new String(read, StandardCharsets.UTF_8);
        }
        last = answer.statusCode();
        if (without != null) {
          ObjectNode fields = Json.read(text, ObjectNode.class);
          fields.remove(without);
          text = Json.write(fields);
        }
        Exchange exchange = exchange(method, path, body, answer, text);
        exchanges.add(exchange);
        if (!unrecorded) {
          chapters.computeIfAbsent(server + "/" + chapter, none -> new ArrayList<>()).add(exchange);
        }
        return text.startsWith("{") || text.startsWith("[")
            ? Json.read(text, JsonNode.class)
            : Json.mapper().createObjectNode().put("text", text);
      } catch (IOException e) {
        throw new UncheckedIOException(method + " " + path, e);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    private static byte[] line(InputStream stream) throws IOException {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      int next = stream.read();
      while (next >= 0 && next != '\n') {
        line.write(next);
        next = stream.read();
      }
      return line.toByteArray();
    }

    private Exchange exchange(
        String method, String path, String body, HttpResponse<?> answer, String text) {
      Map<String, String> answered = new TreeMap<>();
      for (String name : HEADERS) {
        answer.headers().firstValue(name).ifPresent(value -> answered.put(name, value));
      }
      String shown = token != null ? "a token of its own" : role == null ? null : role.label();
      return new Exchange(
          server,
          route(server, method, path),
          title,
          method,
          path,
          shown,
          headers,
          body,
          answer.statusCode(),
          answered,
          text,
          shapeOnly);
    }
  }

  /** The route pattern that matches the path; of several the one with the most literal text. */
  private String route(String server, String method, String path) {
    String plain = path.replaceFirst("\\?.*", "");
    String best = "";
    int most = -1;
    for (Route route : cluster.servers().get(server).routes()) {
      String fixed = route.path().replaceAll("[{<][a-z]+[}>]", "");
      if (route.method().equals(method)
          && pattern(route.path()).matcher(plain).matches()
          && fixed.length() > most) {
        most = fixed.length();
        best = method + " " + route.path();
      }
    }
    return best;
  }

  private static Pattern pattern(String path) {
    String pattern =
        path.replaceAll("\\{[a-z]+}", "[^/]+").replaceAll("<[a-z]+>", ".+").replace(".", "\\.");
    return Pattern.compile(pattern.replace("\\.+", ".+"));
  }
}
