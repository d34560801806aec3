package io.millrace.tests.drill.network;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Extracts the text of statements from the bytes that a client sends to a MySQL or MariaDB server:
 * packets with a length, a sequence number and a body; those with number 0 are commands. One
 * instance and thread for each connection.
 */
final class StatementReader {
  private static final int HEADER = 4;
  private static final int QUERY = 3;
  private static final int LONGEST_KEPT = 64 << 10;

  private final byte[] header = new byte[HEADER];
  private int headerRead;
  private int bodyLeft;
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();

  /** The statements that end within these bytes; very long ones are truncated. */
  List<String> read(byte[] bytes, int length) {
    List<String> statements = new ArrayList<>();
    int at = 0;
    while (at < length) {
      if (headerRead < HEADER) {
        header[headerRead++] = bytes[at++];
        if (headerRead == HEADER) {
          bodyLeft = (header[0] & 0xff) | (header[1] & 0xff) << 8 | (header[2] & 0xff) << 16;
          body.reset();
        }
      } else {
        int taken = Math.min(bodyLeft, length - at);
        body.write(bytes, at, Math.min(taken, LONGEST_KEPT - Math.min(LONGEST_KEPT, body.size())));
        at += taken;
        bodyLeft -= taken;
      }
      if (headerRead == HEADER && bodyLeft == 0) {
        headerRead = 0;
        addStatement(statements);
      }
    }
    return statements;
  }

  private void addStatement(List<String> statements) {
    byte[] whole = body.toByteArray();
    boolean command = header[HEADER - 1] == 0;
    if (command && whole.length > 1 && whole[0] == QUERY) {
      statements.add(new String(whole, 1, whole.length - 1, StandardCharsets.UTF_8).strip());
    }
  }
}
