package io.millrace.tests.drill.cluster;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Keeps the files and logs of a cluster whose drill has failed, for analysis: sets {@code
 * drill.keep}, which also applies to later drills in this JVM.
 */
public final class KeepFilesOnFailure implements TestExecutionExceptionHandler {
  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable failure)
      throws Throwable {
    System.setProperty("drill.keep", "true");
    throw failure;
  }
}
