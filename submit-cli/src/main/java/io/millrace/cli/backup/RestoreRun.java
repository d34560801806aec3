package io.millrace.cli.backup;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.event.StoredEvent;
import io.millrace.cli.backup.BackupManifest.StoreCopy;
import io.millrace.cli.backup.BackupRun.QueueLine;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.StatusLine;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import io.millrace.manager.app.CentralSettings;
import io.millrace.manager.backup.CentralRestore;
import io.millrace.manager.backup.CentralRestore.RestoreOptions;
import io.millrace.manager.backup.CentralRestore.Restored;
import io.millrace.manager.backup.Interruptions.InterruptedJob;
import io.millrace.platform.config.ConfigurationLoader;
import io.millrace.platform.data.FolderLock;
import io.millrace.platform.data.NodeIdFile;
import io.millrace.platform.identity.PrivateFiles;
import io.millrace.platform.lifecycle.ServerLogging;
import io.millrace.queuenode.node.QueueNodeSettings;
import io.millrace.queuenode.node.StoreRestore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Restores one backup, or a part of it. One thread; blocks until it is on the disk. */
final class RestoreRun {
  private static final int BATCH = 1_000;
  private static final long BATCH_BYTES = 4L << 20;

  private final Invocation invocation;
  private final Request request;
  private final StatusLine line;

  /**
   * What to restore, and how.
   *
   * @param file the backup
   * @param overwrite whether to replace what is there
   * @param hold how long exclusive jobs wait; null for the default
   * @param drained whether all execution nodes of the backup are drained
   */
  record Request(Path file, boolean overwrite, Duration hold, boolean drained) {}

  /**
   * What was restored, for {@code --json}.
   *
   * @param backup the backup's id
   * @param stores the restored stores
   * @param central the central database; null if it was not restored
   */
  record Report(String backup, List<RestoredStore> stores, Restored central) {}

  /**
   * A restored store.
   *
   * @param node the queue node's name
   * @param events its events
   */
  record RestoredStore(String node, long events) {}

  RestoreRun(Invocation invocation, Request request) {
    this.invocation = invocation;
    this.request = request;
    this.line = new StatusLine(invocation.terminal(), invocation.clock());
  }

  /** Restores the central database and all stores into the data directory of {@code up}. */
  void everything(Path data) throws IOException {
    try (BackupFile backup = opened()) {
      PrivateFiles.makeFolder(data);
      logTo(data);
      FolderLock lock =
          FolderLock.tryTake(data.resolve("up.lock"))
              .orElseThrow(
                  () ->
                      new MillraceException(
                          ErrorCode.CONFLICT,
                          "'millrace up' is running on %s; stop it first".formatted(data)));
      try {
        List<RestoredStore> stores = new ArrayList<>();
        for (StoreCopy copy : backup.manifest().nodes()) {
          requireFree(settings(data, copy.name()));
        }
        CentralSettings settings =
            CentralSettings.defaults().withDataDirectory(data.resolve("central"));
        PrivateFiles.makeFolder(settings.dataDirectory());
        CentralRestore central =
            new CentralRestore(settings.databaseOrFile(), settings.heartbeat());
        central.requireFree(request.overwrite());
        for (StoreCopy copy : backup.manifest().nodes()) {
          stores.add(store(backup, copy, settings(data, copy.name())));
        }
        Restored restored = central(backup, central);
        keepIds(data, restored.nodes());
        report(backup, stores, restored);
        invocation.note("start it with 'millrace up --data " + data + "'" + nodes(backup));
      } finally {
        lock.close();
      }
    }
  }

  /** As many queue nodes as the backup has, if that is more than usual. */
  private static String nodes(BackupFile backup) {
    int number = backup.manifest().nodes().size();
    return number > 2 ? " --queue-nodes " + number : "";
  }

  private static QueueNodeSettings settings(Path data, String node) {
    // The name becomes part of a path.
    Names.require("name", node, ErrorCode.INVALID_REQUEST);
    return QueueNodeSettings.of(
        node,
        data.resolve(node),
        List.of(URI.create("http://127.0.0.1:1")),
        data.resolve("tokens").resolve("cluster.pub"));
  }

  /** The nodes keep their ids, so that nobody else is taken for them. */
  private static void keepIds(Path data, Map<String, String> ids) {
    ids.forEach(
        (name, id) -> {
          Names.require("name", name, ErrorCode.INVALID_REQUEST);
          keepId(data.resolve(name), id);
        });
  }

  private static void keepId(Path folder, String id) {
    PrivateFiles.makeFolder(folder);
    NodeIdFile.ensure(folder, UUID.fromString(id));
  }

  /** Restores the central database of a configuration. */
  void manager(Path config) throws IOException {
    try (BackupFile backup = opened()) {
      CentralSettings settings = new ConfigurationLoader().load(config, CentralSettings.class);
      PrivateFiles.makeFolder(settings.dataDirectory());
      logTo(settings.dataDirectory());
      CentralRestore central = new CentralRestore(settings.databaseOrFile(), settings.heartbeat());
      Restored restored = central(backup, central);
      report(backup, List.of(), restored);
      invocation.note(
          "restore the queue nodes that have lost their stores before you start this manager: "
              + Escaping.text(
                  String.join(
                      ", ", backup.manifest().nodes().stream().map(StoreCopy::name).toList())));
    }
  }

  /** Restores the store of a queue node. */
  void queueNode(Path config) throws IOException {
    try (BackupFile backup = opened()) {
      QueueNodeSettings settings = new ConfigurationLoader().load(config, QueueNodeSettings.class);
      StoreCopy copy =
          backup.manifest().nodes().stream()
              .filter(one -> one.name().equals(settings.name()))
              .findFirst()
              .orElseThrow(
                  () ->
                      new MillraceException(
                          ErrorCode.INVALID_REQUEST,
                          "the backup has no store of queue node %s; it has %s"
                              .formatted(
                                  settings.name(),
                                  String.join(
                                      ", ",
                                      backup.manifest().nodes().stream()
                                          .map(StoreCopy::name)
                                          .toList()))));
      PrivateFiles.makeFolder(settings.dataDirectory());
      logTo(settings.dataDirectory());
      requireFree(settings);
      RestoredStore restored = store(backup, copy, settings);
      // With an identity of its own the node has its id from there.
      Path own = settings.identityFile().orElse(settings.dataDirectory().resolve("node.identity"));
      if (!Files.exists(own)) {
        keepId(settings.dataDirectory(), copy.id());
      }
      report(backup, List.of(restored), null);
    }
  }

  private BackupFile opened() throws IOException {
    BackupFile backup = BackupFile.open(request.file());
    try {
      backup.verify(
          (bytes, all) -> line.show("checking the backup: " + BackupCommand.checked(bytes, all)));
      return backup;
    } catch (IOException | RuntimeException e) {
      backup.close();
      throw e;
    } finally {
      line.end();
    }
  }

  private static void logTo(Path data) {
    ServerLogging.configure(data.resolve("logs"), "restore", "ERROR");
  }

  private void requireFree(QueueNodeSettings settings) {
    long present = StoreRestore.present(settings, invocation.clock());
    if (present > 0 && !request.overwrite()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "the store of queue node %s is not empty (%s); restore into an empty one, or replace it with --overwrite, which keeps a store in files under another name"
              .formatted(settings.name(), Figures.count(present, "event")));
    }
  }

  private RestoredStore store(BackupFile backup, StoreCopy copy, QueueNodeSettings settings)
      throws IOException {
    PrivateFiles.makeFolder(settings.dataDirectory());
    long events = 0;
    try (StoreRestore store = StoreRestore.begin(settings, copy.term(), invocation.clock())) {
      for (String part : copy.parts()) {
        events = load(backup, part, copy, store, events);
      }
      store.finish();
    } finally {
      line.end();
    }
    return new RestoredStore(copy.name(), events);
  }

  private long load(BackupFile backup, String part, StoreCopy copy, StoreRestore store, long before)
      throws IOException {
    long events = before;
    String queue = null;
    List<StoredEvent> batch = new ArrayList<>();
    long bytes = 0;
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(backup.content(part), StandardCharsets.UTF_8), 1 << 16)) {
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        boolean next = text.startsWith("{\"queue\"");
        if (!batch.isEmpty() && (next || batch.size() >= BATCH || bytes > BATCH_BYTES)) {
          store.add(queue, copy.versions().getOrDefault(queue, 0), batch);
          events += batch.size();
          line.show(
              "queue node %s: %s"
                  .formatted(Escaping.text(copy.name()), Figures.count(events, "event")));
          batch.clear();
          bytes = 0;
        }
        if (next) {
          queue = Json.read(text, QueueLine.class).queue();
        } else {
          batch.add(Json.read(text, StoredEvent.class));
          bytes += text.length();
        }
      }
    }
    if (!batch.isEmpty()) {
      store.add(queue, copy.versions().getOrDefault(queue, 0), batch);
    }
    return events + batch.size();
  }

  private Restored central(BackupFile backup, CentralRestore central) throws IOException {
    line.show("central database");
    try {
      return central.run(
          () -> backup.content(BackupManifest.CENTRAL),
          new RestoreOptions(
              backup.manifest().id(), request.overwrite(), request.hold(), request.drained()));
    } finally {
      line.end();
    }
  }

  private void report(BackupFile backup, List<RestoredStore> stores, Restored central) {
    invocation.answer(
        new Report(backup.manifest().id(), stores, central), () -> print(stores, central));
    backup.manifest().sessionWarnings().forEach(invocation::note);
  }

  void print(List<RestoredStore> stores, Restored central) {
    for (RestoredStore store : stores) {
      invocation.line(
          "store of %s: %s"
              .formatted(Escaping.text(store.node()), Figures.count(store.events(), "event")));
    }
    if (central == null) {
      return;
    }
    invocation.line(
        "central database: %s, as of %s"
            .formatted(Figures.count(central.rows(), "row"), central.takenAt()));
    invocation.line("new jobs have numbers from " + central.firstNewJob());
    if (central.withdrawals() > 0) {
      invocation.line(
          "identities that the replaced database knew as withdrawn, and that stay so: "
              + central.withdrawals());
    }
    if (request.drained()) {
      invocation.line(
          "all execution nodes, also new ones, are drained and start nothing; let them start jobs with"
              + " 'millrace node undrain NODE'");
    }
    if (request.hold() == null || request.hold().compareTo(Duration.ZERO) > 0) {
      invocation.line("single instances and jobs of lanes wait until " + central.holdUntil());
    }
    String again = request.drained() ? "would run again once a node is undrained" : "run again";
    central
        .unfinished()
        .forEach(
            (state, jobs) ->
                invocation.line(
                    "jobs that were %s: %s; those that have ended since %s"
                        .formatted(Escaping.text(state), Figures.count(jobs), again)));
    if (!central.dueTasks().isEmpty()) {
      invocation.line(
          "tasks with planned times since the backup, which their catchUp decides about: "
              + Escaping.text(String.join(", ", central.dueTasks())));
    }
    if (!central.running().isEmpty()) {
      invocation.line("");
      invocation.print(jobs(central.running()), "");
    }
  }

  static Table jobs(List<InterruptedJob> running) {
    Table table =
        new Table(
            Column.right("JOB"),
            Column.left("NAME", 40),
            Column.left("NODE"),
            Column.right("ATTEMPT"),
            Column.left("AFTER THE RESTART"));
    for (InterruptedJob job : running) {
      table.row(
          String.valueOf(job.job()),
          job.name(),
          job.node(),
          String.valueOf(job.attempt()),
          job.next());
    }
    return table;
  }
}
