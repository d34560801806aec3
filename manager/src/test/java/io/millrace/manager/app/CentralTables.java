package io.millrace.manager.app;

import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Empty databases with the tables of a central manager. The migrations run once for each test JVM:
 * they take a third of a second, and what they leave can be copied.
 */
public final class CentralTables {
  private static final String NAME = "central";
  private static final String TABLES =
      "select table_name from information_schema.tables where table_schema = 'PUBLIC'";
  private static final String FILE = NAME + ".mv.db";

  private CentralTables() {}

  /**
   * A database of its caller's own until it is closed; then another test is given it, emptied,
   * because to make the tables takes longer than most tests do.
   */
  public static synchronized Database inMemory() {
    return Database.open(DatabaseSettings.memory(Memory.EMPTY.take()), List.of());
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

  /** Databases in memory that stay after their last connection. */
  private static final class Memory {
    static final Memory EMPTY = new Memory();

    private final List<String> names = new ArrayList<>();

    /** The name of an empty database that nobody is connected to. */
    String take() {
      try {
        for (String name : names) {
          if (emptied(name)) {
            return name;
          }
        }
        String name = "central-" + names.size();
        try (Connection connection = connect(name);
            Statement statement = connection.createStatement()) {
          for (String line : Template.MADE.script) {
            statement.execute(line);
          }
        }
        names.add(name);
        return name;
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    /** False while a test is connected, and when one has changed the tables themselves. */
    private static boolean emptied(String name) throws SQLException {
      try (Connection connection = connect(name);
          Statement statement = connection.createStatement()) {
        if (!first(statement, "select count(*) from information_schema.sessions").equals("1")
            || !tables(statement).equals(Template.MADE.tables)) {
          return false;
        }
        for (String table : Template.MADE.tables) {
          statement.execute("truncate table \"" + table + "\" restart identity");
        }
        return true;
      }
    }

    private static Connection connect(String name) throws SQLException {
      return DriverManager.getConnection(
          "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1;MODE=MySQL;CASE_INSENSITIVE_IDENTIFIERS=TRUE",
          "sa",
          "");
    }

    private static String first(Statement statement, String query) throws SQLException {
      try (ResultSet rows = statement.executeQuery(query)) {
        rows.next();
        return rows.getString(1);
      }
    }
  }

  private static Set<String> tables(Statement statement) throws SQLException {
    Set<String> tables = new HashSet<>();
    try (ResultSet rows = statement.executeQuery(TABLES)) {
      while (rows.next()) {
        tables.add(rows.getString(1));
      }
    }
    return tables;
  }

  /** What the migrations leave, as statements and as a file. */
  private static final class Template {
    static final Template MADE = make();

    final List<String> script;
    final Set<String> tables;
    final byte[] file;

    private Template(List<String> script, Set<String> tables, byte[] file) {
      this.script = script;
      this.tables = tables;
      this.file = file;
    }

    private static Template make() {
      try {
        Path folder = Files.createTempDirectory("millrace-central-tables");
        List<String> script;
        Set<String> tables;
        try (Database database =
            Database.open(DatabaseSettings.file(folder, NAME), List.of("platform", NAME))) {
          script = database.read(Template::script);
          tables =
              Set.copyOf(
                  database.read(handle -> handle.createQuery(TABLES).mapTo(String.class).list()));
        }
        Path file = folder.resolve(FILE);
        byte[] bytes = Files.readAllBytes(file);
        Files.delete(file);
        Files.delete(folder);
        return new Template(script, tables, bytes);
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
