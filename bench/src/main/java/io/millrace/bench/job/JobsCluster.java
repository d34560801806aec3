package io.millrace.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.client.CentralClient;
import io.millrace.bench.job.CentralManagers.EmbeddedExecutionNodes;
import io.millrace.bench.process.ScratchFolder;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.lifecycle.ServerLogging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The cluster under measurement. Closing it stops all servers and deletes their files. */
final class JobsCluster implements AutoCloseable {
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final Path folder;
  private final CentralManagers managers;
  private final EmbeddedExecutionNodes nodes;
  private final RecordedJobDao records;

  private JobsCluster(JobsBenchPlan plan, Clock clock, List<BuiltinProgram> programs)
      throws IOException, InterruptedException {
    try {
      folder = own(ScratchFolder.below(plan.folder())).path();
      ServerLogging.configure(folder.resolve("logs"), "bench", "ERROR");
      JobStore store = own(JobStore.create(plan.database(), folder));
      managers = own(CentralManagers.start(folder, store.settings(), plan.managers(), clock));
      records = own(RecordedJobDao.open(store.settings()));
      nodes =
          own(EmbeddedExecutionNodes.start(folder, managers, plan.nodes(), plan.slots(), programs));
    } catch (RuntimeException | IOException | InterruptedException e) {
      close();
      throw e;
    }
  }

  static JobsCluster start(JobsBenchPlan plan, Clock clock)
      throws IOException, InterruptedException {
    return start(plan, clock, List.of());
  }

  /** A cluster whose nodes also know these programs. */
  static JobsCluster start(JobsBenchPlan plan, Clock clock, List<BuiltinProgram> programs)
      throws IOException, InterruptedException {
    return new JobsCluster(plan, clock, programs);
  }

  private <T extends AutoCloseable> T own(T part) {
    parts.push(part);
    return part;
  }

  /** The directory of all files. */
  Path folder() {
    return folder;
  }

  int managers() {
    return managers.size();
  }

  /** A client that calls this central manager first. */
  CentralClient client(int manager) {
    return managers.client(manager);
  }

  /** Calls this central manager first. */
  ApiClient api(int manager) {
    return managers.api(manager);
  }

  EmbeddedExecutionNodes nodes() {
    return nodes;
  }

  RecordedJobDao records() {
    return records;
  }

  @Override
  public void close() {
    while (!parts.isEmpty()) {
      end(parts.pop());
    }
  }

  private static void end(AutoCloseable part) {
    try {
      part.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("cannot stop a part of the cluster", e);
    }
  }

  /**
   * The database of the central managers; closing it drops the schema on a server.
   *
   * @param settings of the database
   * @param schema dropped at the end; null for a file
   */
  private record JobStore(DatabaseSettings settings, SchemaDao schema) implements AutoCloseable {

    /** An empty database, on the server of the plan or in this directory. */
    static JobStore create(JobsBenchPlan.Server server, Path folder) {
      if (server == null) {
        return new JobStore(DatabaseSettings.file(folder, "central"), null);
      }
      SchemaDao schema =
          SchemaDao.create(server.url(), server.user(), password(server.passwordFile()));
      return new JobStore(schema.settings(), schema);
    }

    private static String password(Path file) {
      try {
        return file == null ? "" : Files.readString(file).strip();
      } catch (IOException e) {
        throw new MillraceException(
            ErrorCode.CONFIGURATION, "--database-password-file: cannot read " + file, e);
      }
    }

    @Override
    public void close() {
      if (schema != null) {
        schema.close();
      }
    }
  }
}
