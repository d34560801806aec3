package io.millrace.tests.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.tests.house.SourceTree;
import io.millrace.tests.server.SqlSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server that ends after any statement of its migrations, before this is recorded, repeats the
 * statements at its next start: no database server can roll all of them back.
 */
class InterruptedMigrationTest {
  private static final String CENTRAL = "manager/central";

  @Nested
  class OnH2 {
    @ParameterizedTest
    @ValueSource(strings = {"platform/platform", CENTRAL, "queue-node/segments"})
    void everyStatementIsRepeatable(String module) throws IOException {
      List<String> statements = new ArrayList<>();
      for (Path file : files(module)) {
        statements.addAll(statements(file));
      }
      for (int done = 1; done <= statements.size(); done++) {
        DatabaseSettings settings = DatabaseSettings.memory("cut-" + UUID.randomUUID());
        cutOff(settings, module, statements.subList(0, done));
      }
    }
  }

  @Nested
  class OnAServer {
    @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

    @Test
    void everyStatementAfterTheBaselineIsRepeatable() throws IOException, SQLException {
      List<String> done = new ArrayList<>();
      for (Path file : files(CENTRAL)) {
        boolean baseline = done.isEmpty();
        for (String statement : statements(file)) {
          done.add(statement);
          if (!baseline) {
            SCHEMA.empty();
            cutOff(SCHEMA.settings(), CENTRAL, done);
          }
        }
      }
    }
  }

  /** Executes the statements without a record of them, and then opens the database as a server. */
  private static void cutOff(DatabaseSettings settings, String module, List<String> statements) {
    try (Database cutOff = Database.open(settings, List.of())) {
      String options = cutOff.dialect().tableOptions();
      for (String statement : statements) {
        cutOff.read(handle -> handle.execute(statement.replace("${tableOptions}", options)));
      }
      assertThatCode(() -> Database.open(settings, List.of(name(module))).close())
          .as(
              "the start after %d statements, the last of which was: %s",
              statements.size(), last(statements))
          .doesNotThrowAnyException();
    }
  }

  private static String last(List<String> statements) {
    return statements.get(statements.size() - 1);
  }

  private static String name(String module) {
    return module.substring(module.indexOf('/') + 1);
  }

  private static List<Path> files(String module) throws IOException {
    Path folder =
        SourceTree.root()
            .resolve(module.substring(0, module.indexOf('/')))
            .resolve("src/main/resources/db/migration")
            .resolve(name(module));
    try (Stream<Path> listed = Files.list(folder)) {
      List<Path> files = listed.sorted().toList();
      assertThat(files.get(0).getFileName()).hasToString("V001__baseline.sql");
      return files;
    }
  }

  private static List<String> statements(Path file) throws IOException {
    String text = Files.readString(file).replaceAll("(?m)--.*$", "");
    return Stream.of(text.split(";")).map(String::strip).filter(one -> !one.isEmpty()).toList();
  }
}
