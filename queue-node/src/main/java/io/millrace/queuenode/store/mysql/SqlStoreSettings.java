package io.millrace.queuenode.store.mysql;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a store on a MySQL 8+ or MariaDB 10.6+ server is.
 *
 * @param url {@code jdbc:mysql://HOST:3306/NAME}; the schema exists and may serve several nodes
 * @param user may create, alter and use tables in the schema
 * @param passwordFile holds the password; white space around it does not count. Null for none
 */
public record SqlStoreSettings(String url, String user, Path passwordFile) {
  /**
   * The password, read anew. Blocks.
   *
   * @throws MillraceException CONFIGURATION when the file can't be read
   */
  String password() {
    if (passwordFile == null) {
      return "";
    }
    try {
      return Files.readString(passwordFile).strip();
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "the store's password file " + passwordFile + " cannot be read: " + e,
          e);
    }
  }
}
