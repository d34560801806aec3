package io.millrace.tests.central;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.job.AttemptId;
import io.millrace.api.node.AttemptReport;
import io.millrace.api.node.AttemptReport.ReportRequest;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.node.PollAnswer.PollRequest;
import io.millrace.api.node.RequestNumber;
import io.millrace.manager.app.CentralManager;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An execution node that starts no processes: it registers, polls and reports when the test calls
 * it.
 */
final class ApiNode {
  private static final JdkTransport TRANSPORT = new JdkTransport();

  private final UUID id = UUID.randomUUID();
  private final String name;
  private final AtomicLong sent = new AtomicLong();
  private final List<AttemptId> held = new ArrayList<>();

  ApiNode(String name) {
    this.name = name;
  }

  UUID id() {
    return id;
  }

  private RequestNumber next() {
    return new RequestNumber(1, sent.incrementAndGet());
  }

  static CentralClient client(CentralManager manager, Role role) {
    String token = TokenFiles.read(TokenFiles.of(manager.tokens(), role));
    return new CentralClient(
        new ApiClient(TRANSPORT, new Endpoints(List.of(manager.address())), () -> token));
  }

  private CentralClient self(CentralManager manager) {
    return new NodeClients(manager.tokens(), TRANSPORT)
        .of(manager.address(), Role.EXECUTION_NODE, name, id);
  }

  void register(CentralManager manager) {
    self(manager)
        .register(
            new NodeRegistration(
                id,
                name,
                URI.create("http://127.0.0.1:1"),
                NodeCapacity.ofSlots(4),
                List.of("default"),
                Map.of(),
                null,
                List.copyOf(held)),
            next());
  }

  /** A heartbeat; attempts assigned by it are held from then on. */
  List<AttemptId> poll(CentralManager manager) {
    PollRequest request = new PollRequest(List.copyOf(held), Duration.ZERO, true, null);
    List<AttemptId> start =
        self(manager).poll(id, request, next()).start().stream().map(Assignment::attempt).toList();
    held.addAll(start);
    return start;
  }

  /** Reports every held attempt as running. */
  void reportStarts(CentralManager manager) {
    List<AttemptReport> starts = held.stream().map(one -> AttemptReport.started(one, 0)).toList();
    self(manager).report(id, new ReportRequest(starts));
  }
}
