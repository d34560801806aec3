package io.millrace.platform.lifecycle;

import java.nio.file.Path;

/**
 * Tells the logging configuration (conf/logback.xml) where the log file is and what else goes to
 * the standard error. Called before the first logger is made.
 */
public final class ServerLogging {
  private ServerLogging() {}

  /**
   * Sets it up.
   *
   * @param folder of the log file
   * @param name of the log file, without {@code .log}
   * @param console level from which lines also go to the standard error
   */
  public static Path configure(Path folder, String name, String console) {
    System.setProperty("millrace.log.folder", folder.toString());
    System.setProperty("millrace.log.name", name);
    System.setProperty("millrace.log.console", console);
    // Libraries that select a logging library themselves.
    System.setProperty("hazelcast.logging.type", "slf4j");
    return folder.resolve(name + ".log");
  }
}
