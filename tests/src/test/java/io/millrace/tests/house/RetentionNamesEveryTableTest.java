package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What bounds each table of the central database is written in docs/retention.md. */
class RetentionNamesEveryTableTest {
  private static final Pattern TABLE =
      Pattern.compile("create table (?:if not exists )?(\\w+)", Pattern.CASE_INSENSITIVE);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "manager/src/main/resources/db/migration/central",
        "platform/src/main/resources/db/migration/platform"
      })
  void everyTableHasItsRow(String folder) throws IOException {
    Path root = SourceTree.root();
    String retention = Files.readString(root.resolve("docs/retention.md"));
    List<String> tables = tables(root.resolve(folder));
    assertThat(tables).isNotEmpty();
    assertThat(tables)
        .as("tables that docs/retention.md does not name")
        .allMatch(table -> retention.contains("`" + table + "`"));
  }

  private static List<String> tables(Path folder) throws IOException {
    List<String> tables = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        TABLE
            .matcher(Files.readString(file))
            .results()
            .forEach(found -> tables.add(found.group(1)));
      }
    }
    return tables;
  }
}
