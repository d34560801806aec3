package io.millrace.platform.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyListTest {
  private static final int ROWS = 2_000;
  private static final Pattern SCANNED = Pattern.compile("scanCount: (\\d+)");
  private static final KeyList KEYS = new KeyList("owner", "place");

  @TempDir Path folder;
  private Database database;

  @BeforeEach
  void fill() {
    database = Database.open(DatabaseSettings.file(folder, "keys"), List.of());
    database.transaction(
        handle -> {
          handle.execute(
              "create table item (owner bigint, place int, size int, primary key (owner, place))");
          PreparedBatch batch = handle.prepareBatch("insert into item values (?, ?, ?)");
          for (int place = 0; place < ROWS; place++) {
            batch.add(place % 2, place, 10 * place);
          }
          return batch.execute().length;
        });
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void rowsAreFoundByBothColumns() {
    assertThat(select("select size from item <keys>", List.of(3, 7, 8, 1_999)))
        .containsExactlyInAnyOrder("30", "70", "19990");
    assertThat(select("select size from item <keys> and size > 50", List.of(3, 7)))
        .containsExactly("70");
  }

  @Test
  void manyKeysAreLookedUpNotCompared() {
    List<Integer> keys = IntStream.range(0, 100).map(i -> 1 + 2 * i).boxed().toList();

    String plan = select("explain analyze select size from item <keys>", keys).get(0);

    assertThat(scanned(plan)).as(plan).isLessThan(4 * keys.size());
  }

  @Test
  void changesLookUpTheirKeysToo() {
    List<Integer> keys = IntStream.range(0, 100).map(i -> 1 + 2 * i).boxed().toList();

    String plan =
        database.transaction(
            handle ->
                KEYS.change(
                        handle.createQuery("explain analyze delete from item where <keys>"),
                        1,
                        keys)
                    .mapTo(String.class)
                    .one());

    assertThat(scanned(plan)).as(plan).isLessThan(4 * keys.size());
    assertThat(select("select size from item <keys>", List.of(1, 199, 201)))
        .containsExactly("2010");
  }

  private List<String> select(String sql, List<Integer> keys) {
    return database.read(
        handle -> KEYS.select(handle.createQuery(sql), 1, keys).mapTo(String.class).list());
  }

  private static int scanned(String plan) {
    int sum = 0;
    for (Matcher counts = SCANNED.matcher(plan); counts.find(); ) {
      sum += Integer.parseInt(counts.group(1));
    }
    assertThat(sum).as("H2 tells how many rows it reads: " + plan).isPositive();
    return sum;
  }
}
