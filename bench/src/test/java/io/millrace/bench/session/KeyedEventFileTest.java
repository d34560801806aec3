package io.millrace.bench.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import io.millrace.bench.session.KeyedEventFile.EventShape;
import io.millrace.bench.session.KeyedEventFile.FileEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyedEventFileTest {
  private static final EventShape SHAPE =
      new EventShape(
          JsonPointer.compile("/job"), JsonPointer.compile("/id"), JsonPointer.compile("/after"));

  @TempDir private Path folder;

  @Test
  void anEventComesAfterThoseThatItNamesAndOtherwiseAsInTheFile() throws IOException {
    Map<String, List<FileEvent>> keys =
        read(
            """
            {"job":"a","id":"a3","after":["a1","a2"]}
            {"job":"b","id":"b1"}
            {"job":"a","id":"a2","after":"a1"}

            {"job":"a","id":"a4","after":["elsewhere"]}
            {"job":"a","id":"a1","after":[]}
            {"job":7,"id":8,"after":null}
            """);
    assertThat(keys.keySet()).containsExactly("a", "b", "7");
    assertThat(ids(keys, "a")).containsExactly("a4", "a1", "a2", "a3");
    assertThat(ids(keys, "b")).containsExactly("b1");
    assertThat(keys.get("b").get(0).data()).isEqualTo("{\"job\":\"b\",\"id\":\"b1\"}");
  }

  @Test
  void aCompressedFileIsReadAsWell() throws IOException {
    Path file = folder.resolve("events.ndjson.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write("{\"job\":\"a\",\"id\":\"a1\"}\n".getBytes(StandardCharsets.UTF_8));
    }
    assertThat(ids(KeyedEventFile.read(file, SHAPE), "a")).containsExactly("a1");
  }

  @Test
  void eventsThatNameEachOtherAreRefused() {
    assertThatThrownBy(
            () ->
                read(
                    """
                    {"job":"a","id":"a1","after":["a2"]}
                    {"job":"a","id":"a2","after":["a1"]}
                    """))
        .hasMessageContaining("the key a name each other");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"id\":\"x\"}|line 2 of|has no key at /job",
        "{\"job\":\"a\"}|line 2 of|has no id at /id",
        "{\"job\":\"a\",\"id\":\"a1\"}|line 2 of|has the id a1 of an earlier line",
        "hello|line 2 of|is not JSON",
      })
  void aLineThatIsNoEventIsRefusedWithItsNumber(String line, String where, String why) {
    assertThatThrownBy(() -> read("{\"job\":\"a\",\"id\":\"a1\"}\n" + line + "\n"))
        .hasMessageContaining(where)
        .hasMessageContaining(why);
  }

  private static List<String> ids(Map<String, List<FileEvent>> keys, String key) {
    return keys.get(key).stream().map(FileEvent::id).toList();
  }

  private Map<String, List<FileEvent>> read(String lines) throws IOException {
    return KeyedEventFile.read(Files.writeString(folder.resolve("events.ndjson"), lines), SHAPE);
  }
}
