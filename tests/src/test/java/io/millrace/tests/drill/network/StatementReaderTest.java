package io.millrace.tests.drill.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatementReaderTest {
  private static final int QUERY = 3;
  private static final int PING = 14;

  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 4096})
  void statementsAreFoundWithAnyChunkSize(int chunk) {
    packet(1, 0, "user and password");
    packet(0, QUERY, "select 1");
    packet(0, PING, "");
    packet(0, QUERY, "update t set a = 'ä'");
    packet(0, QUERY, "x".repeat(100_000));

    List<String> statements = new ArrayList<>();
    StatementReader reader = new StatementReader();
    byte[] all = sent.toByteArray();
    for (int at = 0; at < all.length; at += chunk) {
      byte[] part = new byte[Math.min(chunk, all.length - at)];
      System.arraycopy(all, at, part, 0, part.length);
      statements.addAll(reader.read(part, part.length));
    }

    assertThat(statements).hasSize(3).startsWith("select 1", "update t set a = 'ä'");
    assertThat(statements.get(2)).matches("x{60000,70000}");
  }

  private void packet(int number, int command, String text) {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    int length = body.length + 1;
    sent.write(length);
    sent.write(length >> 8);
    sent.write(length >> 16);
    sent.write(number);
    sent.write(command);
    sent.writeBytes(body);
  }
}
