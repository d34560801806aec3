package io.millrace.tests.drill.network;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * Delivers HTTP requests of one client a second time, or late, after newer ones of the same client:
 * as a network that delays a segment, or a server that reads requests buffered while it was frozen.
 * Thread-safe; its thread ends with {@link #deliver}.
 */
public final class Interference {
  private static final int MOST = 8;
  private static final int CONNECT_MILLIS = 2_000;
  private static final int ANSWER_MILLIS = 5_000;

  /** What happens to a request. */
  public enum Way {
    /** It is passed on and delivered a second time later. */
    REPEATED,
    /** Its connection is reset, so that the client retries, and it is delivered later. */
    LATE
  }

  private final Way way;
  private final Pattern lines;
  private final InetSocketAddress target;
  private final AtomicInteger passed;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread one = new Thread(task, "interference");
            one.setDaemon(true);
            return one;
          });
  // Guarded by this.
  private final List<Held> held = new ArrayList<>();
  private final List<String> delivered = new ArrayList<>();
  private int wanted;
  private boolean closed;

  private record Held(byte[] request, String line, int before) {}

  /**
   * An interference that holds the selected requests until {@link #deliver}.
   *
   * @param lines pattern searched for in the first line of a request
   * @param target where the requests go
   * @param passed the number of requests of the client to any server so far; shared by the
   *     interferences of its links
   */
  public Interference(Way way, String lines, InetSocketAddress target, AtomicInteger passed) {
    this.way = way;
    this.lines = Pattern.compile(lines);
    this.target = target;
    this.passed = passed;
  }

  boolean takesOut() {
    return way == Way.LATE;
  }

  /** Whether it selects the request with that first line: every second match. */
  synchronized boolean wants(String line) {
    passed.incrementAndGet();
    if (closed || held.size() >= MOST || !lines.matcher(line).find()) {
      return false;
    }
    return wanted++ % 2 == 0;
  }

  synchronized void take(byte[] request) {
    String text = new String(request, StandardCharsets.ISO_8859_1);
    held.add(new Held(request, text.substring(0, text.indexOf('\r')), passed.get()));
  }

  /** Requests that were delivered after a newer one of the same client, each with its answer. */
  public synchronized List<String> delivered() {
    return List.copyOf(delivered);
  }

  /**
   * Stops selecting requests and delivers those held in the order in which they were sent. Call it
   * once. Blocks until everything is delivered.
   */
  public void deliver() {
    List<Held> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(held);
    }
    all.forEach(one -> thread.execute(() -> deliver(one)));
    thread.shutdown();
    try {
      long limit = (long) MOST * (CONNECT_MILLIS + ANSWER_MILLIS);
      if (!thread.awaitTermination(limit, TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException("held requests were not delivered");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void deliver(Held one) {
    try (Socket socket = new Socket()) {
      socket.connect(target, CONNECT_MILLIS);
      socket.setSoTimeout(ANSWER_MILLIS);
      socket.getOutputStream().write(one.request());
      String answer =
          new BufferedReader(
                  new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))
              .readLine();
      note(one, answer);
    } catch (SocketTimeoutException e) {
      // A long poll: received, but nobody waits for its answer.
      note(one, "no answer within " + ANSWER_MILLIS + " ms");
    } catch (IOException e) {
      // Its server is dead or unreachable: not delivered and not counted.
      return;
    }
  }

  private synchronized void note(Held one, String answer) {
    if (passed.get() > one.before()) {
      delivered.add(one.line() + " -> " + answer);
    }
  }
}
