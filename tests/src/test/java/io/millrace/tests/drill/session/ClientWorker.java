package io.millrace.tests.drill.session;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.SessionHandler;
import io.millrace.api.client.SessionNodes;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.tests.drill.cluster.Uptime;
import io.millrace.tests.drill.session.SessionEntry.Begun;
import io.millrace.tests.drill.session.SessionEntry.Ended;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A worker by the client of the product, which writes down what its handler does and what its calls
 * say. Thread-safe.
 */
final class ClientWorker implements SessionHandler<KeyState>, SessionNodes {
  private static final int SHORTEST_WORK_MILLIS = 2;
  private static final int LONGEST_WORK_MILLIS = 15;
  private static final int SNAPSHOT_ONE_IN = 4;

  private final String name;
  private final SessionJournal journal;
  private final Map<String, URI> nodes;
  private final String token;
  private final Supplier<HttpTransport> transports;
  private final CountDownLatch never = new CountDownLatch(1);
  // Grows with the sessions of one process.
  private final Map<String, JournalWorker> holders = new ConcurrentHashMap<>();

  /**
   * A worker.
   *
   * @param nodes queue nodes by name
   * @param transports gives one for each queue node
   */
  ClientWorker(
      String name,
      SessionJournal journal,
      Map<String, URI> nodes,
      String token,
      Supplier<HttpTransport> transports) {
    this.name = name;
    this.journal = journal;
    this.nodes = Map.copyOf(nodes);
    this.token = token;
    this.transports = transports;
  }

  @Override
  public List<NodePlace> current() {
    return nodes.entrySet().stream()
        .map(node -> new NodePlace(node.getKey(), node.getValue()))
        .toList();
  }

  @Override
  public ApiClient at(URI address) {
    String node =
        nodes.entrySet().stream()
            .filter(one -> one.getValue().equals(address))
            .findAny()
            .orElseThrow()
            .getKey();
    JournalWorker worker = new JournalWorker(false, name, node);
    return new ApiClient(
        new JournalingTransport(
            transports.get(),
            worker,
            journal,
            (key, number) -> holders.put(holding(key, number), worker)),
        new Endpoints(List.of(address)),
        () -> token);
  }

  private static String holding(String key, SessionNumber number) {
    return key + " " + number;
  }

  @Override
  public KeyState open(String key, JsonNode snapshot) {
    return KeyState.of(snapshot);
  }

  @Override
  public void onEvent(OpenSession<KeyState> session, SessionEvent event)
      throws InterruptedException {
    String key = session.key();
    SessionNumber number = session.number();
    JournalWorker worker = holders.get(holding(key, number));
    ThreadLocalRandom random = ThreadLocalRandom.current();
    journal.add(new Begun(Uptime.now(), worker, key, number, event.n(), event.id()));
    never.await(random.nextInt(SHORTEST_WORK_MILLIS, LONGEST_WORK_MILLIS), TimeUnit.MILLISECONDS);
    session.replace(session.state().after(event));
    journal.add(new Ended(Uptime.now(), worker, key, number, event.n()));
    if (session.state().last()) {
      session.complete();
    } else if (random.nextInt(SNAPSHOT_ONE_IN) == 0) {
      session.snapshot(session.state());
    }
  }
}
