package io.millrace.cli.invocation;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** What went wrong with a file, in the words of an operating system. Pure. */
final class FileFailure {
  private FileFailure() {}

  /** The reason without the name of the file. */
  static String reason(IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return "no such file or directory";
    }
    if (failure instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (failure instanceof FileAlreadyExistsException) {
      return "it exists already";
    }
    String reason =
        failure instanceof FileSystemException known ? known.getReason() : failure.getMessage();
    return reason == null ? "input or output failed" : reason;
  }

  /** The reason with the name of the file, if it is known. */
  static String message(IOException failure) {
    return failure instanceof FileSystemException known && known.getFile() != null
        ? known.getFile() + ": " + reason(failure)
        : reason(failure);
  }
}
