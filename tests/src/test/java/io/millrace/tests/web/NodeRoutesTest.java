package io.millrace.tests.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.http.Route;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.NodeCredential;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import io.millrace.tests.cluster.NodeSigner;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A node speaks only of itself: every route that nodes may call is listed here with a request in
 * which the caller speaks of itself. From another node of the same role, the same request is
 * refused. A route that is missing in the list fails the test.
 */
class NodeRoutesTest {
  private static final String NUMBER = "?incarnation=1&sequence=1";
  private static final String REPORT =
      "{'id':'%s','name':'%n','address':'http://127.0.0.1:1','capacity':1,'configuredCapacity':1,"
          + "'load':{'state':'IDLE','load':0.1,'cpu':0.1,'store':0.1},'segments':[]}";

  /**
   * Requests of a node ({@code %n}, {@code %s}) about itself, incomplete where they would change
   * the cluster; without a path where the route reveals or changes nothing of a single node.
   */
  private static final Map<String, Request> REQUESTS =
      Map.ofEntries(
          Map.entry(
              "POST /v1/execution-nodes",
              new Request(
                  "/v1/execution-nodes",
                  "{'id':'%s','name':'%n','address':'http://127.0.0.1:1',"
                      + "'capacity':{'slots':1},'pools':['nowhere'],'live':[]}")),
          Map.entry(
              "POST /v1/execution-nodes/{id}/poll",
              new Request("/v1/execution-nodes/%s/poll" + NUMBER, "{'held':[]}")),
          Map.entry(
              "POST /v1/execution-nodes/{id}/reports",
              new Request("/v1/execution-nodes/%s/reports", "{'reports':[]}")),
          Map.entry(
              "DELETE /v1/execution-nodes/{id}",
              new Request("/v1/execution-nodes/%s" + NUMBER, "")),
          Map.entry(
              "POST /v1/queue-nodes/{id}/report", new Request("/v1/queue-nodes/%s/report", REPORT)),
          Map.entry(
              "POST /v1/load-balancers/{id}/report",
              new Request(
                  "/v1/load-balancers/%s/report",
                  "{'id':'%s','name':'%n','address':'http://127.0.0.1:1','accepted':0,"
                      + "'refused':0}")),
          Map.entry(
              "DELETE /v1/load-balancers/{id}", new Request("/v1/load-balancers/%s" + NUMBER, "")),
          Map.entry(
              "POST /v1/weights/moves",
              new Request(
                  "/v1/weights/moves",
                  "{'id':'%s','node':'%n','kind':'SHED','policy':'measured','reason':'x',"
                      + "'moves':[{'queue':'nothing','version':1,'from':'%n','to':'q1',"
                      + "'points':1}]}")),
          Map.entry(
              "POST /v1/queues/{queue}/slots/drained",
              new Request(
                  "/v1/queues/nothing/slots/drained", "{'node':'%n','from':'q1','slots':{'1':1}}")),
          Map.entry(
              "POST /v1/reservations",
              new Request(
                  "/v1/reservations",
                  "{'id':'%s','from':'%n','queue':'nothing','points':1,'load':0.0,'ttl':'1s'}")),
          Map.entry(
              "POST /v1/queues/{queue}/slots/{slot}/parts",
              new Request(
                  "/v1/queues/nothing/slots/1/parts",
                  """
                  {'slot':1,'epoch':1,'from':'%n','part':0,'sessions':[],'completed':[],
                   'sending':{'ownerEpoch':2,'id':'00000000-0000-0000-0000-000000000005'}}
                  """)),
          // The whole topology is for every node.
          Map.entry("GET /v1/topology", Request.OF_NOBODY),
          // The secret of an attempt decides, see AttemptSecretTest.
          Map.entry("POST /v1/pacing/rounds", Request.OF_NOBODY),
          Map.entry("GET /v1/task-runs/{id}/conduct", Request.OF_NOBODY),
          Map.entry("POST /v1/task-runs/{id}/conduct", Request.OF_NOBODY),
          // Events have no owner among the load balancers, and figures none among managers.
          Map.entry("POST /v1/queues/{queue}/events", Request.OF_NOBODY),
          Map.entry("GET /v1/segments", Request.OF_NOBODY),
          Map.entry("GET /v1/segments/{queue}", Request.OF_NOBODY));

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  private final HttpClient http = HttpClient.newHttpClient();
  private final NodeSigner signer = new NodeSigner(CLUSTER.tokenFile(Role.ADMIN).getParent());

  private record Request(String path, String body) {
    static final Request OF_NOBODY = new Request(null, null);

    String path(NodeIdentity about) {
      return path.replace("%s", about.id().toString());
    }

    String body(NodeIdentity about) {
      return body.replace("%s", about.id().toString())
          .replace("%n", about.name())
          .replace('\'', '"');
    }
  }

  static List<String> servers() {
    return EveryRouteTest.servers();
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aNodeIsHeardOnlyAboutItself(String server) throws Exception {
    List<String> faults = new ArrayList<>();
    for (Route route : CLUSTER.servers().get(server).routes()) {
      String name = route.method() + " " + route.path();
      for (Role role : route.roles().stream().filter(Role::isNode).sorted().toList()) {
        Request request = REQUESTS.get(name);
        if (request == null) {
          faults.add(name + ": add it to the requests of this test");
        } else if (request != Request.OF_NOBODY) {
          check(server, route, role, request, faults);
        }
      }
    }
    assertThat(faults).isEmpty();
  }

  private void check(String server, Route route, Role role, Request request, List<String> faults)
      throws Exception {
    String name = route.method() + " " + route.path() + " as " + role.label();
    NodeIdentity own = new NodeIdentity(role, role.label() + "-1", new UUID(8, role.ordinal()));
    NodeIdentity other = new NodeIdentity(role, role.label() + "-2", new UUID(9, role.ordinal()));
    int foreign = send(server, route, other, request, own);
    if (foreign != 403) {
      faults.add("%s: another node got %d".formatted(name, foreign));
    }
    int self = send(server, route, own, request, own);
    if (self == 403 || self == 401) {
      faults.add("%s: the node itself got %d".formatted(name, self));
    }
  }

  private int send(
      String server, Route route, NodeIdentity caller, Request request, NodeIdentity about)
      throws Exception {
    URI address = CLUSTER.servers().get(server).address();
    URI uri = address.resolve(request.path(about));
    NodeCredential credential = signer.credential(caller);
    String authorization =
        signer.authorization(
            credential, address, NodeSigner.audience(server), route.method(), CallSigner.path(uri));
    HttpRequest call =
        HttpRequest.newBuilder(uri)
            .timeout(Duration.ofSeconds(20))
            .header("Authorization", authorization)
            .header("Content-Type", "application/json")
            .method(route.method(), HttpRequest.BodyPublishers.ofString(request.body(about)))
            .build();
    return http.send(call, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  @Test
  void everyRequestOfThisTestBelongsToARoute() {
    List<String> routes = new ArrayList<>();
    for (String server : servers()) {
      CLUSTER.servers().get(server).routes().stream()
          .filter(route -> route.roles().stream().anyMatch(Role::isNode))
          .forEach(route -> routes.add(route.method() + " " + route.path()));
    }
    assertThat(routes).containsAll(REQUESTS.keySet());
  }
}
