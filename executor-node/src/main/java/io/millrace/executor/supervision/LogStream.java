package io.millrace.executor.supervision;

/** The two outputs of an attempt. */
public enum LogStream {
  STDOUT("stdout"),
  STDERR("stderr");

  private final String fileName;

  LogStream(String fileName) {
    this.fileName = fileName;
  }

  String fileName() {
    return fileName;
  }
}
