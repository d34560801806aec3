package io.millrace.manager.central;

import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Empty databases with the tables of a central manager. The migrations run once for each test JVM:
 * they take a third of a second, and what they leave can be copied.
 */
public final class CentralTables {
  private static final String NAME = "central";
  private static final String FILE = NAME + ".mv.db";

  private CentralTables() {}

  /** A database that exists as long as it is open. */
  public static Database inMemory() {
    Database database =
        Database.open(DatabaseSettings.memory("central-" + UUID.randomUUID()), List.of());
    database.transaction(handle -> run(handle, Template.MADE.script));
    return database;
  }

  /** A database in that folder. */
  public static Database in(Path folder) {
    try {
      Files.createDirectories(folder);
      Files.write(folder.resolve(FILE), Template.MADE.file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Database.open(DatabaseSettings.file(folder, NAME), List.of());
  }

  private static int run(Handle handle, List<String> script) {
    script.forEach(handle::execute);
    return script.size();
  }

  /** What the migrations leave, as statements and as a file. */
  private static final class Template {
    static final Template MADE = make();

    final List<String> script;
    final byte[] file;

    private Template(List<String> script, byte[] file) {
      this.script = script;
      this.file = file;
    }

    private static Template make() {
      try {
        Path folder = Files.createTempDirectory("millrace-central-tables");
        List<String> script;
        try (Database database =
            Database.open(DatabaseSettings.file(folder, NAME), List.of("platform", NAME))) {
          script = database.read(Template::script);
        }
        Path file = folder.resolve(FILE);
        byte[] bytes = Files.readAllBytes(file);
        Files.delete(file);
        Files.delete(folder);
        return new Template(script, bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static List<String> script(Handle handle) {
      return handle
          .createQuery("script nopasswords nosettings")
          .mapTo(String.class)
          .filter(line -> !line.startsWith("--") && !line.startsWith("CREATE USER"))
          .list();
    }
  }
}
