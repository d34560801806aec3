package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.RegistrationOutcome;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.MovedSession;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.api.session.SlotTable;
import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.session.store.SessionStore.DeliveryRules;
import io.millrace.queuenode.session.store.SessionStore.Effects;
import io.millrace.queuenode.session.store.SessionStore.GrantedSlot;
import io.millrace.queuenode.session.store.SessionStore.HeldSlot;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import io.millrace.queuenode.session.store.SessionStore.Polled;
import io.millrace.queuenode.session.store.SessionStore.PutResult;
import io.millrace.queuenode.session.store.SessionStore.SessionPut;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.log.ByteWriter;
import io.millrace.queuenode.store.log.Disk;
import io.millrace.queuenode.store.log.Disk.ChannelDisk;
import io.millrace.queuenode.store.log.EventLog.LogSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A store of sessions with one queue, driven as a node drives it. */
final class SessionStoreFixture implements AutoCloseable {
  static final String QUEUE = "orders";
  static final UUID PROCESS = new UUID(7, 7);
  static final Duration DEADLINE = Duration.ofSeconds(30);

  final ManualClock clock;
  final String node;
  final Path folder;
  SessionDefinition rules = SessionDefinition.of("key");
  int batch = 100;
  int maxAttempts = 3;
  long maxEvents = Long.MAX_VALUE;
  long maxBytes;
  Disk disk = new ChannelDisk();
  int fileBytes = 64 << 10;
  LogSessionStore store;
  // Whether what is done will be rolled back.
  boolean rollsBack;
  private final Sending sending = Sending.to(Long.MAX_VALUE);
  private int commits;
  private long requests = 1_000;
  private final Map<UUID, Long> polls = new HashMap<>();

  SessionStoreFixture(Path folder, String node, ManualClock clock) {
    this.folder = folder;
    this.node = node;
    this.clock = clock;
  }

  static SessionStoreFixture withAllSlots(Path folder) {
    SessionStoreFixture fixture =
        new SessionStoreFixture(
            folder, "node-1", new ManualClock(Instant.ofEpochSecond(1_700_000_000)));
    fixture.open();
    fixture.takeAll(1);
    return fixture;
  }

  SessionStoreFixture open() {
    LogSettings settings = LogSettings.in(folder).withFiles(fileBytes);
    store = LogSessionStore.open(disk, settings, node, clock);
    return this;
  }

  /** Closes and opens it. */
  void reopen() {
    store.close();
    open();
  }

  /** As after a kill: what another process finds in a copy of the folder. */
  SessionStoreFixture copy(Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(one -> !one.endsWith("lock")).toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
    SessionStoreFixture copy = new SessionStoreFixture(to, node, clock);
    copy.rules = rules;
    copy.batch = batch;
    copy.maxAttempts = maxAttempts;
    copy.fileBytes = fileBytes;
    copy.polls.putAll(polls);
    return copy.open();
  }

  /** All that the store has in memory. */
  byte[] image() {
    ByteWriter writer = new ByteWriter();
    new SessionImage(store.book()).write(writer);
    return writer.copy();
  }

  void takeAll(long epoch) {
    take(epoch, List.of(), false, IntStream.range(0, SlotTable.SLOTS).toArray());
  }

  void take(long epoch, List<String> undrained, boolean wait, int... slots) {
    List<GrantedSlot> granted =
        Arrays.stream(slots)
            .mapToObj(slot -> new GrantedSlot(slot, epoch, undrained, wait))
            .toList();
    store.take(QUEUE, 1, granted, clock.nanoTime());
    commit();
  }

  /** A part of what a sealed slot holds, for whoever has it by then; see {@link #arrives}. */
  SlotPage export(int slot, String after) {
    return store.export(QUEUE, slot, sending, after);
  }

  /** A part comes from a giver that follows the row by which this node has the slot. */
  void arrives(SlotPage page) {
    long epoch =
        store.slots(QUEUE).stream()
            .filter(one -> one.slot() == page.slot())
            .mapToLong(HeldSlot::epoch)
            .findFirst()
            .orElse(0);
    store.take(
        QUEUE,
        new SlotPage(
            page.slot(),
            page.epoch(),
            page.from(),
            new Sending(epoch, page.sending().id()),
            page.part(),
            page.sessions(),
            page.completed(),
            page.next(),
            page.contained()));
  }

  void commit() {
    if (rollsBack) {
      return;
    }
    store.commit();
    // A force may take long; it is what checkpoints follow.
    if (++commits % 16 == 0) {
      store.force();
    }
  }

  DeliveryRules delivery() {
    return new DeliveryRules(rules, batch, maxAttempts, DEADLINE, DEADLINE);
  }

  static UUID w(int number) {
    return new UUID(0, number);
  }

  static KeyedEvent event(String key, String id) {
    byte[] data = ("{\"id\":\"" + id + "\"}").getBytes(StandardCharsets.UTF_8);
    return new KeyedEvent(new NewEvent(id, data, null), key, SessionKey.slot(key), 0);
  }

  /** A part of a slot with the first event of its first session; others are to follow. */
  static SlotPage firstEventOnly(SlotPage page, Sending sending) {
    MovedSession whole = page.sessions().get(0);
    SlotPage part =
        new SlotPage(
            page.slot(),
            page.epoch(),
            page.from(),
            sending,
            0,
            List.of(
                new MovedSession(
                    whole.key(),
                    whole.number(),
                    whole.assigned(),
                    whole.openedAt(),
                    whole.accepted(),
                    whole.acknowledged(),
                    whole.snapshot(),
                    whole.snapshotThrough(),
                    whole.failed(),
                    whole.attempts(),
                    whole.parked(),
                    whole.ending(),
                    whole.earlierIds(),
                    whole.events().subList(0, 1))),
            List.of(),
            "1/1/2",
            page.contained());
    SlotPageCheck.require(part);
    return part;
  }

  List<PutResult> put(KeyedEvent... events) {
    SessionPut put =
        new SessionPut(QUEUE, rules, List.of(events), maxEvents, maxBytes, SlotTable.SLOTS);
    List<PutResult> results = store.put(put).results();
    commit();
    return results;
  }

  /** What becomes of an event: STORED, REPEATED or the code of its refusal. */
  String put(String key, String id) {
    PutResult result = put(event(key, id)).get(0);
    String accepted = result.repeated() ? "REPEATED" : "STORED";
    return result.code() == null ? accepted : result.code().name();
  }

  RegistrationOutcome register(int worker, UUID process, Integer cap) {
    RegistrationOutcome outcome =
        store.register(
            QUEUE, 1, w(worker), new WorkerRegistration(process, cap, "w" + worker, null), rules);
    if (!rollsBack && outcome != RegistrationOutcome.REPEATED) {
      polls.put(w(worker), 0L);
    }
    commit();
    return outcome;
  }

  void register(int... workers) {
    for (int worker : workers) {
      register(worker, PROCESS, null);
    }
  }

  /** Registers workers and lets them be heard of. */
  void available(int... workers) {
    register(workers);
    for (int worker : workers) {
      poll(worker, 0);
    }
  }

  PollAnswered poll(int worker, int max, SessionResult... results) {
    return poll(worker, PROCESS, max, results);
  }

  PollAnswered poll(int worker, UUID process, int max, SessionResult... results) {
    long number = polls.merge(w(worker), 1L, Long::sum);
    try {
      return pollAs(worker, process, number, max, results);
    } catch (RuntimeException e) {
      polls.merge(w(worker), -1L, Long::sum);
      throw e;
    }
  }

  PollAnswered pollAs(int worker, UUID process, long number, int max, SessionResult... results) {
    PollAnswered answer =
        store
            .poll(
                QUEUE,
                w(worker),
                new SessionPoll(process, number, max, null, List.of(results)),
                number,
                ++requests,
                delivery(),
                1 << 20)
            .answer();
    commit();
    return answer;
  }

  /** A poll that waits looks again under its request. */
  Polled look(int worker, long number, long request, int max) {
    SessionPoll poll = new SessionPoll(PROCESS, number, max, null, List.of());
    Polled polled = store.poll(QUEUE, w(worker), poll, number, request, delivery(), 1 << 20);
    polls.put(w(worker), number);
    commit();
    return polled;
  }

  /** Answered under another number, as for a worker with a stream. */
  PollAnswered streamed(int worker, SessionPoll poll, long number) {
    PollAnswered answer =
        store.poll(QUEUE, w(worker), poll, number, ++requests, delivery(), 1 << 20).answer();
    commit();
    return answer;
  }

  long lastPoll(int worker) {
    return polls.getOrDefault(w(worker), 0L);
  }

  static SessionResult result(SessionDelivery delivery, ResultKind kind) {
    long through = delivery.events().get(delivery.events().size() - 1).n();
    return result(delivery.key(), delivery.number(), through, kind);
  }

  static SessionResult result(String key, SessionNumber number, long through, ResultKind kind) {
    return new SessionResult(key, number, through, kind, null, null);
  }

  /** What was delivered, such as "a:1,2 b:1". */
  static String delivered(PollAnswered answer) {
    List<String> sessions = new ArrayList<>();
    for (SessionDelivery one : answer.sessions()) {
      sessions.add(
          one.key()
              + ":"
              + one.events().stream()
                  .map(event -> Long.toString(event.n()))
                  .collect(Collectors.joining(",")));
    }
    return String.join(" ", sessions);
  }

  Effects look() {
    Effects effects = store.look(queue -> Optional.of(delivery()));
    commit();
    return effects;
  }

  Session session(String key) {
    return store.book().queue(QUEUE).slot(SessionKey.slot(key)).sessions().get(key);
  }

  SessionAssignment assignment() {
    return store.book().queue(QUEUE).assignment();
  }

  @Override
  public void close() {
    store.close();
  }
}
