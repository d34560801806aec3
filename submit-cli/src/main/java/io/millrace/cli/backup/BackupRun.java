package io.millrace.cli.backup;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.BackupClient;
import io.millrace.api.event.StoredEvent;
import io.millrace.api.event.StoredEvent.StoreSummary;
import io.millrace.api.event.StoredEvent.StoredEvents;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.cli.backup.BackupManifest.Part;
import io.millrace.cli.backup.BackupManifest.StoreCopy;
import io.millrace.cli.output.Figures;
import io.millrace.platform.clock.Clock;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Takes one backup: the events that the stores hold now, then the central database, then the events
 * that were stored meanwhile (decision 29). In this order nothing accepted before the begin is
 * missing. An event that has ended when its turn comes in the first copy has had its effect on the
 * central database; an event that a job has sent which has ended in the copy of the central
 * database is in the first or in the second copy. One thread.
 */
final class BackupRun {
  private final BackupClient cluster;
  private final BackupWriter writer;
  private final Clock clock;
  private final Progress progress;
  private final Map<String, StoreSummary> before = new TreeMap<>();
  private final Map<String, StoreCopy> stores = new TreeMap<>();
  // Open ones by queue node, as last reported; they are not copied.
  private final Map<String, Long> sessions = new TreeMap<>();

  /** Shows what was copied. */
  interface Progress {
    void show(String text);
  }

  /**
   * A backup that is on the disk.
   *
   * @param manifest what it consists of
   * @param bytes its size
   */
  record Taken(BackupManifest manifest, long bytes) {}

  BackupRun(BackupClient cluster, BackupWriter writer, Clock clock, Progress progress) {
    this.cluster = cluster;
    this.writer = writer;
    this.clock = clock;
    this.progress = progress;
  }

  /**
   * Takes the backup.
   *
   * @param without queue nodes that are left out
   * @param millrace the version of this program
   * @throws MillraceException UNREACHABLE if a queue node that is not left out does not answer
   */
  Taken take(List<String> without, String millrace) throws IOException {
    Instant begun = clock.now();
    for (String node : nodes(without)) {
      StoreSummary summary = summary(node);
      before.put(node, summary);
      copy("stores/" + node + ".ndjson", summary, 0);
    }
    CentralText central = new CentralText();
    writer.add(BackupManifest.CENTRAL, out -> copyCentral(central, out));
    for (String node : nodes(without)) {
      StoreSummary earlier = before.get(node);
      StoreSummary now = summary(node);
      if (earlier != null && !earlier.id().equals(now.id())) {
        throw new MillraceException(
            ErrorCode.CONFLICT,
            "queue node %s was replaced during the backup; take it again".formatted(node));
      }
      copy("stores/" + node + ".later.ndjson", now, earlier == null ? 0 : earlier.lastSeq());
    }
    BackupManifest manifest =
        new BackupManifest(
            BackupManifest.FORMAT,
            BackupManifest.VERSION,
            UUID.randomUUID().toString(),
            millrace,
            begun,
            clock.now(),
            central.header().versions(),
            List.copyOf(stores.values()),
            List.copyOf(without),
            writer.parts(),
            sessions);
    return new Taken(manifest, writer.finish(manifest));
  }

  /** The queue nodes, asked anew each time: one may join or leave during the backup. */
  private List<String> nodes(List<String> without) {
    TreeSet<String> names = new TreeSet<>();
    for (QueueNodeView node : cluster.queueNodes()) {
      names.add(node.name());
      noteSessions(node);
    }
    for (String name : without) {
      if (!names.remove(name) && before.isEmpty() && stores.isEmpty()) {
        throw new MillraceException(
            ErrorCode.UNKNOWN_NODE,
            "--without %s: there is no queue node of that name".formatted(name));
      }
    }
    return List.copyOf(names);
  }

  private void noteSessions(QueueNodeView node) {
    long open = 0;
    for (SegmentFigures segment :
        node.segments() == null ? List.<SegmentFigures>of() : node.segments()) {
      SessionFigures of = segment.sessions();
      open += of == null ? 0 : of.unassigned() + of.assigned() + of.parked();
    }
    if (open > 0) {
      sessions.put(node.name(), open);
    }
  }

  private StoreSummary summary(String node) {
    try {
      return cluster.store(node);
    } catch (MillraceException e) {
      throw missing(node, e);
    }
  }

  private static MillraceException missing(String node, MillraceException cause) {
    return new MillraceException(
        cause.code(),
        "the events of queue node %s cannot be copied: %s; --without %s takes a backup without them"
            .formatted(node, cause.getMessage(), node),
        cause);
  }

  private void copy(String part, StoreSummary store, long after) throws IOException {
    StoreCopy earlier = stores.get(store.node());
    Map<String, Integer> versions = new TreeMap<>();
    List<String> parts = new ArrayList<>();
    if (earlier != null) {
      versions.putAll(earlier.versions());
      parts.addAll(earlier.parts());
    }
    long copied = earlier == null ? 0 : earlier.events();
    Part written = writer.add(part, out -> copyEvents(store, after, copied, versions, out));
    parts.add(part);
    long events = written.rows() + copied;
    stores.put(
        store.node(),
        new StoreCopy(store.node(), store.id().toString(), store.term(), events, versions, parts));
  }

  /** A line before the events of a queue. */
  record QueueLine(String queue) {}

  private long copyEvents(
      StoreSummary store, long after, long copied, Map<String, Integer> versions, OutputStream out)
      throws IOException {
    long events = 0;
    for (String queue : store.queues().keySet()) {
      line(out, new QueueLine(queue));
      Long next = after;
      while (next != null) {
        StoredEvents page = page(store, queue, next);
        keepVersion(versions, queue, page.version());
        for (StoredEvent event : page.events()) {
          line(out, event);
        }
        events += page.events().size();
        next = page.next();
        // The second copy continues the count of the first.
        progress.show(
            "queue node %s: %s".formatted(store.node(), Figures.count(copied + events, "event")));
      }
    }
    return events;
  }

  /** Events of a queue that was deleted meanwhile must not become events of the one after it. */
  private static void keepVersion(Map<String, Integer> versions, String queue, int version) {
    int copied = versions.merge(queue, version, (one, other) -> one == 0 ? other : one);
    if (version != 0 && copied != version) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "queue "
              + queue
              + " was deleted and created again while the backup was taken; take the backup again");
    }
  }

  private StoredEvents page(StoreSummary store, String queue, long after) {
    try {
      return cluster.events(store.node(), queue, after, store.lastSeq());
    } catch (MillraceException e) {
      throw missing(store.node(), e);
    }
  }

  private static void line(OutputStream out, Object value) throws IOException {
    out.write(Json.writeBytes(value));
    out.write('\n');
  }

  private long copyCentral(CentralText text, OutputStream out) throws IOException {
    progress.show("central database: waiting for its copy");
    try (InputStream in = new GZIPInputStream(cluster.central(), 1 << 16)) {
      byte[] buffer = new byte[1 << 16];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        text.add(buffer, read);
        out.write(buffer, 0, read);
        progress.show("central database: " + Figures.count(text.rows, "row"));
      }
    } catch (EOFException | ZipException e) {
      throw cutOff(e);
    }
    if (!text.isWhole()) {
      throw cutOff(null);
    }
    return text.rows;
  }

  private static MillraceException cutOff(IOException cause) {
    return new MillraceException(
        ErrorCode.UNREACHABLE,
        "the copy of the central database ended early: the central manager was stopped, or the connection was lost; take the backup again",
        cause);
  }

  /** The parts of the central database's copy that are needed here. Not thread-safe. */
  private static final class CentralText {
    private static final int LONGEST_SHOWN = 1 << 16;

    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private String first;
    private String last = "";
    private boolean row;
    private boolean begins = true;
    private long rows;

    /** The header of the copy. */
    record Header(Map<String, String> versions) {}

    /** The end of the copy. */
    record End(boolean end, long rows) {}

    void add(byte[] bytes, int length) {
      for (int i = 0; i < length; i++) {
        byte one = bytes[i];
        if (begins) {
          row = one == '[';
          begins = false;
        }
        if (one == '\n') {
          end();
        } else if (!row && line.size() < LONGEST_SHOWN) {
          line.write(one);
        }
      }
    }

    private void end() {
      if (row) {
        rows++;
      } else {
        last = line.toString(StandardCharsets.UTF_8);
        first = first == null ? last : first;
      }
      line.reset();
      begins = true;
    }

    boolean isWhole() {
      return begins && last.startsWith("{\"end\"") && Json.read(last, End.class).rows() == rows;
    }

    Header header() {
      return Json.read(first, Header.class);
    }
  }
}
