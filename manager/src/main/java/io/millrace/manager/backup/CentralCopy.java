package io.millrace.manager.backup;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.TableRows;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The central database as lines of JSON: a {@link Header}, for each table a {@link TableHeader} and
 * its rows as arrays, and an {@link End}, by which a copy that was cut off is recognised.
 * Stateless.
 */
public final class CentralCopy {
  static final String FORMAT = "millrace-central";

  private static final TypeReference<List<Object>> ROW = new TypeReference<>() {};

  // Ids and other integers are longs whatever their size.
  private static final JsonMapper ROWS =
      JsonMapper.builder().enable(DeserializationFeature.USE_LONG_FOR_INTS).build();

  private CentralCopy() {}

  /**
   * The first line.
   *
   * @param format {@value #FORMAT}
   * @param at the moment that was copied, by the database's clock
   * @param versions of the tables, by module
   * @param nextIds the next generated id by table, which its rows do not tell if the last ones were
   *     deleted; empty in copies that earlier versions took
   */
  public record Header(
      String format, Instant at, Map<String, String> versions, Map<String, Long> nextIds) {
    public Header {
      nextIds = nextIds == null ? Map.of() : Map.copyOf(nextIds);
    }
  }

  /** A line before the rows of a table. */
  record TableHeader(String table, List<String> columns) {}

  /**
   * The last line.
   *
   * @param rows of all tables
   */
  record End(boolean end, long rows) {}

  /** Writes the database as it is at one moment; others may change it meanwhile. */
  public static void write(Database database, OutputStream out) throws IOException {
    Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    // Read before the moment that is copied, so that nothing accepted before it is missing.
    Instant at = database.now();
    line(
        writer,
        new Header(
            FORMAT,
            at,
            database.versions(CopiedTables.MODULES),
            database.nextIds(CopiedTables.ALL)));
    long rows =
        database.export(
            CopiedTables.ALL,
            new TableRows() {
              @Override
              public void table(String name, List<String> columns) throws IOException {
                line(writer, new TableHeader(name, columns));
              }

              @Override
              public void row(List<Object> values) throws IOException {
                line(writer, values);
              }
            });
    line(writer, new End(true, rows));
    writer.flush();
  }

  private static void line(Writer writer, Object value) throws IOException {
    writer.write(Json.write(value));
    writer.write('\n');
  }

  /**
   * Reads a copy to its end.
   *
   * @throws MillraceException INVALID_REQUEST if it is not a copy, or not a whole one
   */
  public static Header read(InputStream in, TableRows to) throws IOException {
    BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    Header header = header(reader.readLine());
    long rows = 0;
    int columns = -1;
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      if (line.startsWith("[")) {
        List<Object> values = ROWS.readValue(line, ROW);
        if (values.size() != columns) {
          throw broken("a row has %d values, not %d".formatted(values.size(), columns));
        }
        to.row(values);
        rows++;
      } else if (line.startsWith("{\"end\"")) {
        End end = Json.read(line, End.class);
        if (end.rows() != rows) {
          throw broken("it has %d rows, not %d".formatted(rows, end.rows()));
        }
        return header;
      } else {
        TableHeader table = Json.read(line, TableHeader.class);
        // Names become part of statements.
        if (!CopiedTables.ALL.contains(table.table())
            || !table.columns().stream().allMatch(name -> name.matches("[a-z_]{1,60}"))) {
          throw broken(
              "it has a table '%s' that this version does not know".formatted(table.table()));
        }
        columns = table.columns().size();
        to.table(table.table(), table.columns());
      }
    }
    throw broken("it ends early");
  }

  private static Header header(String line) {
    if (line == null || !line.startsWith("{")) {
      throw broken("it has no header");
    }
    Header header = Json.read(line, Header.class);
    if (!FORMAT.equals(header.format()) || header.versions() == null || header.at() == null) {
      throw broken("its format is '%s', not '%s'".formatted(header.format(), FORMAT));
    }
    return header;
  }

  private static MillraceException broken(String why) {
    return new MillraceException(
        ErrorCode.INVALID_REQUEST,
        "the copy of the central database cannot be used: " + why + "; take another backup");
  }
}
