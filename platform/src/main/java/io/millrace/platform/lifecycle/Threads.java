package io.millrace.platform.lifecycle;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates threads with telling names. */
public final class Threads {

  private Threads() {}

  /** Threads {@code name-1}, {@code name-2}, … that do not keep the process alive. */
  public static ThreadFactory daemons(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> daemon(name + "-" + number.incrementAndGet(), task);
  }

  /** One daemon thread with exactly this name, not yet started. */
  public static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
