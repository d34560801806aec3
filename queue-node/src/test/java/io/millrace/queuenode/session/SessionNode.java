package io.millrace.queuenode.session;

import io.millrace.api.DataSize;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.QueueClient;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistered;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.api.session.SlotTable;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.data.DiskReserve;
import io.millrace.platform.http.Health;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.Metrics;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.WebServer;
import io.millrace.platform.http.WebServer.Callers;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.identity.TokenVerifier;
import io.millrace.queuenode.http.NodeSessionRoutes;
import io.millrace.queuenode.http.SegmentRoutes;
import io.millrace.queuenode.http.SlotRoutes;
import io.millrace.queuenode.segment.SegmentNotes;
import io.millrace.queuenode.segment.SegmentService;
import io.millrace.queuenode.session.store.LogSessionStore;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.store.CommitSettings;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.MemorySegmentStore;
import io.millrace.queuenode.store.SegmentStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * One node with the queue {@code jobs} of sessions by {@code jobId} and an ordinary queue {@code
 * plain}, over real HTTP, on a clock that the test moves; its periodic looks are the test's.
 */
final class SessionNode implements AutoCloseable {
  static final String QUEUE = "jobs";

  final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  final NodeLease lease = new NodeLease("q1", clock::nanoTime);
  final SessionStore store;
  final GroupCommitter<SessionStore> committer;
  final SessionService sessions;
  final SessionLook look;
  private final SegmentStore singles = new MemorySegmentStore().open(clock);
  private final GroupCommitter<SegmentStore> singleCommitter =
      new GroupCommitter<>("q1", singles, clock, CommitSettings.defaults());
  private final SegmentService segments;
  final SlotKeeper keeper;
  private final WebServer web;
  private final TokenIssuer issuer;
  private final JdkTransport transport = new JdkTransport();
  private int definitionVersion;
  private SlotTable slots = SlotTable.of(Map.of("q1", SlotTable.SLOTS));
  private List<QueueNodeAddress> nodes = List.of();
  private Topology topology;
  private long batches;

  SessionNode(Path folder, SessionDefinition rules) {
    this(folder, rules, Function.identity());
  }

  /**
   * A node with a store that the test may wrap.
   *
   * @param wrapped what its writer uses
   */
  SessionNode(Path folder, SessionDefinition rules, Function<SessionStore, SessionStore> wrapped) {
    SystemClock system = new SystemClock();
    KeyFiles.ensure(folder);
    issuer = new TokenIssuer(KeyFiles.privateKey(folder), system);
    store = wrapped.apply(LogSessionStore.open(folder.resolve("sessions"), "q1", clock));
    committer = new GroupCommitter<>("q1-sessions", store, clock, CommitSettings.defaults());
    DiskReserve disk = new DiskReserve("the disk", new DataSize(1), () -> 1 << 30, clock);
    SegmentNotes notes = new SegmentNotes();
    sessions = new SessionService("q1", store, committer, lease, disk, notes, clock);
    look = new SessionLook("q1", sessions, store, lease, clock);
    segments = new SegmentService("q1", singles, singleCommitter, disk, notes, sessions, clock);
    SlotSeals seals = new SlotSeals("q1", sessions, null);
    keeper =
        new SlotKeeper("q1", sessions, null, (receiver, queue, page) -> {}, lease, seals, clock);
    List<Route> routes = new ArrayList<>(new SegmentRoutes(segments, sessions, clock).routes());
    routes.addAll(new NodeSessionRoutes(sessions).routes());
    routes.addAll(new SlotRoutes(new SlotReception("q1", sessions, keeper), seals).routes());
    web =
        new WebServer(
            WebSettings.loopback(0),
            Callers.withoutNodes(
                new TokenVerifier(
                    KeyFiles.publicKey(folder.resolve(KeyFiles.PUBLIC)), system, "queue-node/q1")),
            new Health(Map.of()),
            new Metrics("queue-node", "q1"),
            routes);
    singleCommitter.start();
    committer.start();
    web.start();
    renewLease();
    define(rules);
  }

  void renewLease() {
    Optional<Duration> day = Optional.of(Duration.ofDays(1));
    if (!lease.extended(lease.now(), day)) {
      lease.begins(lease.now(), day);
      keeper.keep();
    }
  }

  /** Gives the queue other rules. */
  void define(SessionDefinition rules) {
    follow(rules, false);
  }

  void follow(SessionDefinition rules, boolean consumingPaused) {
    follow(rules, consumingPaused, List.of());
  }

  /** Lets the node have slots of others. */
  void inherit(SlotTable table, QueueNodeAddress... others) {
    slots = table;
    nodes = List.of(others);
    define(sessions.rules().require(QUEUE).sessions());
  }

  /** What it follows. */
  Topology topology() {
    return topology;
  }

  /** Deletes the queue with the version in force, one step of it; whether it is gone. */
  boolean delete(SessionDefinition rules, DeletionMode mode) {
    definitionVersion--;
    follow(rules, false, List.of(new QueueDeletion(QUEUE, definitionVersion + 1, mode, false)));
    segments.deletions().carryOut();
    return segments.deletions().closures().get(0).removed();
  }

  private void follow(
      SessionDefinition rules, boolean consumingPaused, List<QueueDeletion> deletions) {
    definitionVersion++;
    QueueDefinition plain =
        new QueueDefinition("plain", 0, 0, 0, null, 0, null, 0, null, null, 0, null, null);
    QueueDefinition jobs =
        new QueueDefinition(
            QUEUE, 0, 0, 0, null, 0, null, 0, null, null, 0, null, null, null, null, rules);
    Map<String, Integer> all = Map.of("q1", 1000);
    topology =
        new Topology(
                Integer.toString(definitionVersion),
                List.of(new VersionedQueue(plain, 1), new VersionedQueue(jobs, definitionVersion)),
                List.of(
                    new QueueWeights("plain", 1, all),
                    new QueueWeights(QUEUE, definitionVersion, all, slots)),
                nodes,
                List.of(
                    new QueueControl(QUEUE, false, consumingPaused, "ada", Instant.EPOCH, null)))
            .withDeletions(deletions);
    segments.follow(topology);
    sessions.follow(topology);
    keeper.keep();
    look.look();
  }

  /** Lets time pass, with the looks of the node in between. */
  void pass(Duration time) {
    Duration step = time.dividedBy(8);
    for (int i = 0; i < 8; i++) {
      clock.advance(step);
      look.look();
    }
  }

  URI address() {
    return web.address();
  }

  ApiClient api(Principal caller) {
    String token = issuer.issue(caller, Optional.empty());
    return new ApiClient(transport, new Endpoints(List.of(web.address())), () -> token);
  }

  ApiClient operator() {
    return api(Principal.of(Role.OPERATOR, "ada"));
  }

  QueueClient client() {
    return new QueueClient(operator());
  }

  HttpAnswer call(Role role, HttpCall call) {
    String token = issuer.issue(Principal.of(role, "test"), Optional.empty());
    try {
      return transport.send(
          call.at(web.address().resolve(call.uri())).with("Authorization", "Bearer " + token));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends one event of a job. */
  SendAnswer event(String job, String id) {
    return client()
        .send(
            QUEUE,
            "b" + batches++,
            EventMedia.ENVELOPES,
            envelope(job, id).getBytes(StandardCharsets.UTF_8));
  }

  HttpAnswer events(String... envelopes) {
    HttpCall call =
        HttpCall.post(
            URI.create("/v1/queues/" + QUEUE + "/events"),
            EventMedia.ENVELOPES,
            String.join("\n", envelopes).getBytes(StandardCharsets.UTF_8));
    return call(Role.PRODUCER, call);
  }

  static String envelope(String job, String id) {
    return "{\"id\":\"" + id + "\",\"data\":{\"jobId\":\"" + job + "\",\"event\":\"" + id + "\"}}";
  }

  List<SessionWorkerView> workers() {
    return List.of(
        operator().get("/v1/queues/" + QUEUE + "/session-workers").as(SessionWorkerView[].class));
  }

  SessionWorkerView worker(UUID id) {
    return workers().stream().filter(one -> one.id().equals(id)).findFirst().orElseThrow();
  }

  Worker worker(String name) {
    return new Worker(name, null);
  }

  @Override
  public void close() {
    sessions.close();
    segments.close();
    web.stop();
    committer.stop();
    singleCommitter.stop();
    store.close();
    singles.close();
  }

  /** A session worker that does what the test says. */
  final class Worker {
    final UUID id = UUID.randomUUID();
    UUID incarnation = UUID.randomUUID();
    private final String name;
    private final Integer cap;
    private final Map<String, SessionNumber> numbers = new HashMap<>();
    private long poll = 1;

    Worker(String name, Integer cap) {
      this.name = name;
      this.cap = cap;
    }

    String path() {
      return "/v1/queues/" + QUEUE + "/session-workers/" + id;
    }

    WorkerRegistered register() {
      return operator()
          .send(
              HttpCall.put(
                  URI.create(path()), new WorkerRegistration(incarnation, cap, name, null)))
          .as(WorkerRegistered.class);
    }

    /** Registered and heard of, as workers need to be before they get sessions. */
    Worker employed() {
      register();
      heartbeat();
      return this;
    }

    void restart() {
      incarnation = UUID.randomUUID();
      poll = 1;
      numbers.clear();
    }

    PollAnswered heartbeat() {
      return poll(0, Duration.ZERO);
    }

    PollAnswered poll(int max, Duration patience, SessionResult... results) {
      PollAnswered answer = repeated(poll, max, patience, results);
      poll++;
      return answer;
    }

    PollAnswered repeated(long number, int max, Duration patience, SessionResult... results) {
      PollAnswered answer =
          operator()
              .post(
                  path() + "/polls",
                  new SessionPoll(incarnation, number, max, patience, List.of(results)))
              .as(PollAnswered.class);
      learns(answer);
      return answer;
    }

    void learns(PollAnswered answer) {
      answer.sessions().forEach(one -> numbers.put(one.key(), one.number()));
    }

    /** What it gets now: the ids of the events by session, in order. */
    List<String> take() {
      return ids(poll(1_000, Duration.ZERO));
    }

    static List<String> ids(PollAnswered answer) {
      return answer.sessions().stream()
          .map(SessionDelivery::events)
          .flatMap(List::stream)
          .map(SessionEvent::id)
          .toList();
    }

    SessionResult result(String job, long through, ResultKind kind) {
      return new SessionResult(job, numbers.get(job), through, kind, null, null);
    }

    PollAnswered done(String job, long through) {
      return poll(0, Duration.ZERO, result(job, through, ResultKind.ACKNOWLEDGED));
    }

    /** Completes a job, and takes what it gets next. */
    List<String> completes(String job, long through) {
      return ids(poll(1_000, Duration.ZERO, result(job, through, ResultKind.COMPLETED)));
    }

    void leaves() {
      operator().delete(path() + "?incarnation=" + incarnation);
    }
  }
}
