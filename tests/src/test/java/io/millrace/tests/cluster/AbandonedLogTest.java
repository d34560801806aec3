package io.millrace.tests.cluster;

import static io.millrace.tests.cluster.Jobs.shell;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobState;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Readers of a quiet job's log who went away. */
@Timeout(120)
class AbandonedLogTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  @TempDir Path folder;

  @Test
  void keepNobodyFromReadingLogs() throws Exception {
    Jobs jobs = new Jobs(CLUSTER.central(Role.OPERATOR));
    Path end = folder.resolve("end");
    long job = jobs.submit(shell("echo one; while [ ! -e $1 ]; do sleep 0.1; done; echo two", end));
    jobs.reached(job, JobState.RUNNING, 1);

    // More than either server has places.
    for (int reader = 0; reader < 70; reader++) {
      try (Socket gone = follow(job, Role.VIEWER)) {
        assertThat(status(gone)).contains(" 200 ");
      }
    }
    List<Socket> there = new ArrayList<>();
    try {
      for (Role role : Role.operators()) {
        Socket reader = follow(job, role);
        there.add(reader);
        assertThat(status(reader)).contains(" 200 ");
      }
      Files.createFile(end);
      for (Socket reader : there) {
        assertThat(new String(reader.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
            .contains("two\n");
      }
    } finally {
      for (Socket reader : there) {
        reader.close();
      }
    }
    jobs.ended(job);
  }

  private static Socket follow(long job, Role role) throws IOException {
    String token = TokenFiles.read(CLUSTER.tokenFile(role));
    Socket socket = new Socket(CLUSTER.address().getHost(), CLUSTER.address().getPort());
    socket
        .getOutputStream()
        .write(
            ("GET /v1/jobs/%d/logs?follow=true HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Authorization: Bearer %s\r\n\r\n")
                .formatted(job, token)
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static String status(Socket socket) throws IOException {
    return new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII), 1)
        .readLine();
  }
}
