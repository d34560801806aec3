package io.millrace.platform.membership;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A TCP proxy before one port of this machine that can be cut and mended. */
final class Wire implements AutoCloseable {
  private final ServerSocket entrance;
  private final int exit;
  private final List<Socket> open = new CopyOnWriteArrayList<>();
  private volatile boolean cut;

  Wire(int exit) throws IOException {
    this.exit = exit;
    this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    run("wire-" + exit, this::admit);
  }

  String address() {
    return "127.0.0.1:" + entrance.getLocalPort();
  }

  int exit() {
    return exit;
  }

  /** Breaks what is connected and whatever tries to connect. */
  void cut() {
    cut = true;
    open.forEach(Wire::closeQuietly);
    open.clear();
  }

  void mend() {
    cut = false;
  }

  @Override
  public void close() {
    cut();
    closeQuietly(entrance);
  }

  private void admit() {
    while (!entrance.isClosed()) {
      try {
        connect(entrance.accept());
      } catch (IOException e) {
        // The entrance was closed, which ends the loop.
      }
    }
  }

  private void connect(Socket caller) {
    open.add(caller);
    try {
      if (!cut) {
        Socket callee = new Socket(InetAddress.getLoopbackAddress(), exit);
        open.add(callee);
        run("wire-there", () -> copy(caller, callee));
        run("wire-back", () -> copy(callee, caller));
      }
    } catch (IOException e) {
      // Nobody is behind it: the caller sees a broken connection.
      closeQuietly(caller);
    }
    if (cut) {
      cut();
    }
  }

  private static void copy(Socket from, Socket to) {
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      in.transferTo(out);
    } catch (IOException e) {
      // Either end has gone; both are closed below.
    } finally {
      closeQuietly(from);
      closeQuietly(to);
    }
  }

  private static void closeQuietly(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void run(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }
}
