package io.millrace.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.BackupClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.event.StoredEvent;
import io.millrace.api.event.StoredEvent.StoreSummary;
import io.millrace.api.event.StoredEvent.StoredEvents;
import io.millrace.cli.FakeCluster;
import io.millrace.platform.clock.ManualClock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupRunTest {
  @TempDir private Path folder;
  private final List<String> shown = new ArrayList<>();

  /** Work of the cluster, done between any two calls of the backup. */
  private interface Work {
    void on(LivingCluster cluster);
  }

  @Test
  void anEventOrTheJobThatItHasLedToIsInTheBackupWheneverItEnds() throws IOException {
    int calls = calls();
    for (int moment = 0; moment <= calls; moment++) {
      String backup =
          backup(
              moment,
              cluster -> cluster.store.put(1L, "order"),
              cluster -> {
                cluster.jobs.put("made-of-order", "WAITING");
                cluster.store.remove(1L);
              });
      assertThat(backup.contains("order\"") || backup.contains("made-of-order"))
          .as("before call %d of %d: %s", moment, calls, backup)
          .isTrue();
    }
  }

  @Test
  void aJobOrTheEventThatItHasSentIsInTheBackupWheneverItEnds() throws IOException {
    int calls = calls();
    for (int moment = 0; moment <= calls; moment++) {
      String backup =
          backup(
              moment,
              cluster -> cluster.jobs.put("sender", "RUNNING"),
              cluster -> {
                cluster.store.put(7L, "sent");
                cluster.jobs.put("sender", "SUCCEEDED");
              });
      assertThat(backup.contains("\"RUNNING\"") || backup.contains("sent\""))
          .as("before call %d of %d: %s", moment, calls, backup)
          .isTrue();
    }
  }

  @Test
  void anEventThatNothingHappensToIsInTheBackupOnce() throws IOException {
    int calls = calls();
    for (int moment = 0; moment <= calls; moment++) {
      String backup =
          backup(
              moment,
              cluster -> cluster.store.put(1L, "order"),
              cluster -> cluster.store.put(2L, "later"));
      assertThat(backup.split("order\"", -1)).hasSize(2);
      assertThat(backup.split("later\"", -1).length).isLessThanOrEqualTo(2);
    }
  }

  /** The number of calls of a backup. */
  private int calls() throws IOException {
    LivingCluster cluster = new LivingCluster(-1, none -> {});
    take(cluster, List.of());
    return cluster.calls;
  }

  /** The text of a backup during which something happens before the call of that number. */
  private String backup(int moment, Work before, Work meanwhile) throws IOException {
    LivingCluster cluster = new LivingCluster(moment, meanwhile);
    before.on(cluster);
    take(cluster, List.of());
    StringBuilder text = new StringBuilder();
    try (BackupFile backup = BackupFile.open(folder.resolve("b.zip"))) {
      backup.verify((bytes, all) -> {});
      for (BackupManifest.Part part : backup.manifest().parts()) {
        try (InputStream in = backup.content(part.name())) {
          text.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
      }
    }
    return text.toString();
  }

  @Test
  void theLastProgressOfAStoreIsTheNumberOfItsEventsInTheBackup() throws IOException {
    LivingCluster cluster = new LivingCluster(-1, none -> {});
    cluster.store.put(1L, "dead");
    take(cluster, List.of());
    assertThat(shown).contains("queue node q1: 1 event");
    assertThat(shown).last().isEqualTo("queue node q1: 1 event");
  }

  private BackupManifest take(LivingCluster cluster, List<String> without) throws IOException {
    BackupClient client =
        new BackupClient(
            new ApiClient(
                cluster, new Endpoints(List.of(URI.create("http://127.0.0.1:1"))), () -> "t"));
    try (BackupWriter writer = BackupWriter.create(folder.resolve("b.zip"), true)) {
      return new BackupRun(
              client, writer, new ManualClock(Instant.parse("2026-01-05T10:00:00Z")), shown::add)
          .take(without, "1.0")
          .manifest();
    }
  }

  @Test
  void aQueueNodeThatDoesNotAnswerEndsTheBackupUnlessItIsLeftOut() throws IOException {
    LivingCluster cluster = new LivingCluster(-1, none -> {});
    cluster.silent = true;
    assertThatThrownBy(() -> take(cluster, List.of()))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE))
        .hasMessageContaining("--without q1");
    assertThat(folder).isEmptyDirectory();
    assertThat(take(cluster, List.of("q1")).without()).containsExactly("q1");
    assertThatThrownBy(() -> take(cluster, List.of("q9"))).hasMessageContaining("no queue node");
  }

  @Test
  void aBackupSaysHowManySessionsAreNotInIt() throws IOException {
    LivingCluster cluster = new LivingCluster(-1, none -> {});
    assertThat(take(cluster, List.of()).sessionWarnings()).isEmpty();
    cluster.sessions = 3;
    BackupManifest manifest = take(cluster, List.of());
    assertThat(manifest.sessionsLeftOut()).containsExactly(Map.entry("q1", 3L));
    assertThat(BackupCommand.description(manifest))
        .contains(
            "missing   3 open sessions of queue node q1 are not in the backup: backups do not contain sessions");
    try (BackupFile backup = BackupFile.open(folder.resolve("b.zip"))) {
      assertThat(backup.manifest().sessionWarnings()).isEqualTo(manifest.sessionWarnings());
    }
  }

  @Test
  void aCopyOfTheDatabaseThatEndsEarlyIsNotABackup() throws IOException {
    for (boolean withinALine : new boolean[] {true, false}) {
      LivingCluster cluster = new LivingCluster(-1, none -> {});
      cluster.jobs.put("job", "WAITING");
      cluster.cutCompressed = withinALine;
      cluster.cutLines = !withinALine;
      assertThatThrownBy(() -> take(cluster, List.of())).hasMessageContaining("ended early");
      assertThat(folder).isEmptyDirectory();
    }
  }

  /** A cluster of one queue node that does some work while it is copied. */
  private static final class LivingCluster implements HttpTransport {
    private static final UUID ID = new UUID(1, 1);

    private final Map<Long, String> store = new TreeMap<>();
    private final Map<String, String> jobs = new LinkedHashMap<>();
    private final int moment;
    private final Work work;
    private int calls;
    private boolean silent;
    private boolean cutCompressed;
    private boolean cutLines;
    private long lastSeq = 5;
    private int sessions;

    LivingCluster(int moment, Work work) {
      this.moment = moment;
      this.work = work;
    }

    private String path(HttpCall call) {
      if (calls++ == moment) {
        work.on(this);
      }
      store.keySet().forEach(seq -> lastSeq = Math.max(lastSeq, seq));
      return call.uri().getPath();
    }

    @Override
    public HttpAnswer send(HttpCall call) {
      String path = path(call);
      if (path.equals("/v1/queue-nodes")) {
        Map<String, Object> node = new TreeMap<>();
        node.put("name", "q1");
        node.put("address", "http://127.0.0.1:2");
        if (sessions > 0) {
          // Of each kind, and what is over.
          Map<String, Object> figures =
              Map.of("assigned", sessions - 2, "unassigned", 1, "parked", 1);
          node.put("segments", List.of(Map.of("queue", "orders", "sessions", figures)));
        }
        return json(List.of(node));
      }
      if (silent) {
        return new FakeCluster().refused(ErrorCode.UNREACHABLE, "queue node q1 does not answer");
      }
      if (path.equals("/v1/backup/stores/q1")) {
        return json(new StoreSummary("q1", ID, 3, lastSeq, Map.of("mails", (long) store.size())));
      }
      String query = call.uri().getQuery();
      long after = Long.parseLong(query.replaceAll(".*after=([0-9]+).*", "$1"));
      long upTo = Long.parseLong(query.replaceAll(".*upTo=([0-9]+).*", "$1"));
      List<StoredEvent> events = new ArrayList<>();
      store.forEach(
          (seq, id) -> {
            if (seq > after && seq <= upTo) {
              events.add(
                  new StoredEvent(
                      seq, id, "1", null, 0, "READY", 0, 0, 0, 0, false, 0, 0, null, 0));
            }
          });
      return json(new StoredEvents(1, events, null));
    }

    private static HttpAnswer json(Object value) {
      return FakeCluster.answer(200, "application/json", Json.writeBytes(value));
    }

    @Override
    public InputStream stream(HttpCall call) throws IOException {
      path(call);
      StringBuilder text =
          new StringBuilder("{\"format\":\"x\",\"versions\":{\"central\":\"012\"}}\n");
      text.append("{\"table\":\"job\",\"columns\":[\"name\",\"state\"]}\n");
      jobs.forEach((name, state) -> text.append(Json.write(List.of(name, state))).append('\n'));
      if (!cutLines) {
        text.append("{\"end\":true,\"rows\":").append(jobs.size()).append("}\n");
      }
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
        zip.write(text.toString().getBytes(StandardCharsets.UTF_8));
      }
      int length = cutCompressed ? bytes.size() / 2 : bytes.size();
      return new ByteArrayInputStream(bytes.toByteArray(), 0, length);
    }
  }
}
