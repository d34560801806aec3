package io.millrace.queuenode.session;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.millrace.api.DataSize;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.api.session.SessionWorkerState;
import io.millrace.api.session.SlotTable;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.data.DiskReserve;
import io.millrace.queuenode.segment.SegmentNotes;
import io.millrace.queuenode.session.store.LogSessionStore;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.session.store.SessionStore.DeliveryRules;
import io.millrace.queuenode.store.Change;
import io.millrace.queuenode.store.CommitSettings;
import io.millrace.queuenode.store.GroupCommitter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Queues of which something goes wrong, before and after one of which nothing does. */
@Timeout(60)
class FailingQueueTest {
  private static final SessionDefinition RULES = SessionDefinition.of("/key");
  private static final List<String> QUEUES = List.of("a-fails", "orders", "z-fails");
  private static final UUID WORKER = new UUID(0, 1);

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final List<AutoCloseable> closed = new ArrayList<>();
  private Set<String> failing = Set.of();
  private GroupCommitter<SessionStore> committer;
  private SessionStore store;
  private NodeLease lease;
  private SessionService sessions;
  private SlotKeeper keeper;

  private void start() {
    store = failing(LogSessionStore.open(folder, "q1", clock));
    committer = new GroupCommitter<>("q1", store, clock, CommitSettings.defaults());
    lease = new NodeLease("q1", clock::nanoTime);
    DiskReserve disk = new DiskReserve("the disk", new DataSize(1), () -> 1 << 30, clock);
    sessions = new SessionService("q1", store, committer, lease, disk, new SegmentNotes(), clock);
    SlotSeals seals = new SlotSeals("q1", sessions, null);
    keeper =
        new SlotKeeper("q1", sessions, null, (receiver, queue, page) -> {}, lease, seals, clock);
    committer.start();
    lease.begins(lease.now(), Optional.of(Duration.ofDays(1)));
    closed.addAll(List.of(sessions::close, committer::stop, store::close));
    log.start();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : closed) {
      one.close();
    }
  }

  private List<String> warnings(Class<?> of, Runnable task) {
    Logger logger = (Logger) LoggerFactory.getLogger(of);
    logger.addAppender(log);
    logger.setLevel(Level.INFO);
    task.run();
    logger.setLevel(null);
    logger.detachAppender(log);
    List<String> messages = log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    log.list.clear();
    return messages;
  }

  /**
   * A store whose looks and lists of workers throw for some queues, and whose answer to which slots
   * it has makes the caller throw.
   */
  private SessionStore failing(SessionStore real) {
    return (SessionStore)
        Proxy.newProxyInstance(
            SessionStore.class.getClassLoader(),
            new Class<?>[] {SessionStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("look")) {
                @SuppressWarnings("unchecked")
                Function<String, Optional<DeliveryRules>> rules =
                    (Function<String, Optional<DeliveryRules>>) arguments[0];
                return real.look(queue -> rules.apply(queue).map(one -> orThrow(queue, one)));
              }
              if (method.getName().equals("slots") && failing.contains((String) arguments[0])) {
                return null;
              }
              if (method.getName().equals("workers")) {
                return orThrow((String) arguments[0], real.workers((String) arguments[0]));
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private <T> T orThrow(String queue, T value) {
    if (failing.contains(queue)) {
      throw new ArithmeticException("long overflow");
    }
    return value;
  }

  private void follow() {
    List<VersionedQueue> definitions = new ArrayList<>();
    List<QueueWeights> rows = new ArrayList<>();
    Map<String, Integer> points = Map.of("q1", SlotTable.SLOTS);
    for (String queue : QUEUES) {
      definitions.add(
          new VersionedQueue(
              new QueueDefinition(
                  queue, 0, 0, 0, null, 0, null, 0, null, null, 0, null, null, null, null, RULES),
              1));
      rows.add(new QueueWeights(queue, 1, points, SlotTable.of(points)));
    }
    sessions.follow(new Topology("1", definitions, rows, List.of(), List.of()));
  }

  private int slots(String queue) {
    return sessions.commits().always(Change.of(queue, s -> s.slots(queue))).size();
  }

  @Test
  void theSlotsOfAQueueAreTakenWhateverIsWrongWithOthers() {
    start();
    failing = Set.of("a-fails", "z-fails");
    follow();
    List<String> warnings =
        warnings(
            SlotKeeper.class,
            () -> {
              keeper.keep();
              keeper.keep();
            });
    assertThat(slots("orders")).isEqualTo(SlotTable.SLOTS);
    assertThat(warnings)
        .as("each once")
        .hasSize(2)
        .anyMatch(line -> line.startsWith("looking at the slots of queue a-fails failed"))
        .anyMatch(line -> line.startsWith("looking at the slots of queue z-fails failed"));
    failing = Set.of();
    assertThat(warnings(SlotKeeper.class, keeper::keep))
        .containsOnlyOnce("looking at the slots of queue a-fails succeeds again");
    assertThat(slots("z-fails")).isEqualTo(SlotTable.SLOTS);
  }

  private void registerEverywhere() {
    start();
    follow();
    keeper.keep();
    QUEUES.forEach(
        queue ->
            sessions.register(queue, WORKER, new WorkerRegistration(WORKER, 1, "packer", null)));
  }

  @Test
  void silentWorkersOfAQueueAreRetiredWhateverIsWrongWithOthers() {
    registerEverywhere();
    SessionLook look = new SessionLook("q1", sessions, store, lease, clock);
    failing = Set.of("a-fails", "z-fails");
    clock.advance(Duration.ofMinutes(4));
    List<String> warnings =
        warnings(
            SessionLook.class,
            () -> {
              look.look();
              clock.advance(Duration.ofMinutes(1));
              look.look();
            });
    assertThat(sessions.workers("orders"))
        .extracting(SessionWorkerView::state)
        .containsExactly(SessionWorkerState.RETIRED);
    assertThat(warnings)
        .as("each once")
        .hasSize(2)
        .allMatch(line -> line.contains("-fails failed: ") && line.contains("long overflow"));

    failing = Set.of();
    clock.advance(Duration.ofMinutes(1));
    look.look();
    assertThat(sessions.workers("a-fails"))
        .extracting(SessionWorkerView::state)
        .containsExactly(SessionWorkerState.RETIRED);
  }

  @Test
  void theStatisticsOfAQueueAreWrittenWhateverIsWrongWithOthers() {
    registerEverywhere();
    List<String> records = new ArrayList<>();
    SessionWatch watch =
        new SessionWatch("q1", sessions, clock, Duration.ofMinutes(1), records::add);
    failing = Set.of("a-fails", "z-fails");
    List<String> warnings =
        warnings(
            SessionWatch.class,
            () ->
                Stream.of(1, 2)
                    .forEach(
                        minute -> {
                          clock.advance(Duration.ofMinutes(1));
                          watch.look();
                        }));
    assertThat(records).hasSize(2).allMatch(record -> record.contains("\"queue\":\"orders\""));
    assertThat(warnings).as("each once").hasSize(2);
  }
}
