package io.millrace.cli.connection;

import io.millrace.api.client.ApiClient;

/**
 * A link that logs a browser in once.
 *
 * @param code what the link holds
 * @param url the link
 */
public record LoginLink(String code, String url) {
  /** Asks the server for one; whoever uses it is who asked. */
  public static LoginLink create(ApiClient api) {
    return api.post("/v1/login-codes", null).as(LoginLink.class);
  }
}
