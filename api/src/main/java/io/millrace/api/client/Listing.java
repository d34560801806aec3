package io.millrace.api.client;

import io.millrace.api.client.HttpTransport.HttpAnswer;
import java.util.List;

/**
 * A page of a list that is collected from several queue nodes.
 *
 * @param found in the order of the list
 * @param unreached queue nodes that hold a segment and did not answer, so that their part is
 *     missing
 * @param next passed to get the next page; null if there is none
 */
public record Listing<T>(List<T> found, List<String> unreached, String next) {
  static final String UNREACHED_HEADER = "millrace-unreached";
  static final String NEXT_HEADER = "millrace-next";

  static <T> Listing<T> of(HttpAnswer answer, Class<T[]> type) {
    String unreached = answer.headers().getOrDefault(UNREACHED_HEADER, "");
    return new Listing<>(
        List.of(answer.as(type)),
        unreached.isEmpty() ? List.of() : List.of(unreached.split(",")),
        answer.headers().get(NEXT_HEADER));
  }
}
