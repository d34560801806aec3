package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** docs/retention.md describes what bounds each table of the central database. */
class RetentionNamesEveryTableTest {
  private static final List<String> FOLDERS =
      List.of(
          "manager/src/main/resources/db/migration/central",
          "platform/src/main/resources/db/migration/platform");
  private static final Pattern NAME = Pattern.compile("`(\\w+)`");
  private static final Pattern TABLE =
      Pattern.compile("create table (?:if not exists )?(\\w+)", Pattern.CASE_INSENSITIVE);

  @ParameterizedTest
  @FieldSource("FOLDERS")
  void everyTableIsListed(String folder) throws IOException {
    Path root = SourceTree.root();
    List<String> tables = tables(root.resolve(folder));
    assertThat(tables).isNotEmpty();
    assertThat(rows(root)).as("tables in docs/retention.md").containsAll(tables);
  }

  @Test
  void everyListedTableExists() throws IOException {
    Path root = SourceTree.root();
    List<String> tables = new ArrayList<>();
    for (String folder : FOLDERS) {
      tables.addAll(tables(root.resolve(folder)));
    }
    assertThat(tables).containsAll(rows(root));
  }

  /** The names in the first column of the table. */
  private static List<String> rows(Path root) throws IOException {
    return Files.readAllLines(root.resolve("docs/retention.md")).stream()
        .filter(line -> line.startsWith("| "))
        .map(line -> line.substring(2, line.indexOf(" |")))
        .flatMap(names -> NAME.matcher(names).results())
        .map(name -> name.group(1))
        .toList();
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
