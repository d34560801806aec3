package io.millrace.cli.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.database.DatabaseSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the central managers keep jobs; closing it leaves nothing on a server.
 *
 * @param settings of the database
 * @param schema what is dropped; null for a file
 */
record JobStore(DatabaseSettings settings, SchemaDao schema) implements AutoCloseable {

  /** An empty one, on the plan's server or in that folder. */
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
          ErrorCode.CONFIGURATION, "--database-password-file: " + file + " cannot be read", e);
    }
  }

  @Override
  public void close() {
    if (schema != null) {
      schema.close();
    }
  }
}
