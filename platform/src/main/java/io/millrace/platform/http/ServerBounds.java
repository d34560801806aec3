package io.millrace.platform.http;

import java.time.Duration;

/**
 * The bounds of a server that its users cannot configure, listed in docs/security.md.
 *
 * @param threads threads of the server; those beyond {@code requests} read headers, refuse, and
 *     answer health checks
 * @param requests requests that are handled on a thread at a time
 * @param requestsOfClient of one client network
 * @param strangers those among them whose callers have no valid credentials
 * @param strangersOfClient of one client network
 * @param userReaders bodies of users and their programs that are arriving
 * @param nodeReaders bodies of nodes that are arriving
 * @param nodeReadersOfOne of one node
 * @param openReaders bodies that are arriving on open routes
 * @param openReadersOfClient of one client network
 * @param streams streamed bodies of more than 1 MiB or of unknown length
 * @param bodyBytes memory for all bodies of more than 16 KiB that are arriving or being handled
 * @param idle how long a connection is kept on which nothing arrives between two requests
 * @param firstRequest within this time of the connection the first request arrives
 * @param header within this time a request's header arrives
 * @param body how long a body may take, in addition to one second for each 32 KiB
 * @param openBody the same on open routes
 * @param answer how long the client may take to receive an answer, in addition to one second for
 *     each 32 KiB
 */
record ServerBounds(
    int threads,
    int requests,
    int requestsOfClient,
    int strangers,
    int strangersOfClient,
    int userReaders,
    int nodeReaders,
    int nodeReadersOfOne,
    int openReaders,
    int openReadersOfClient,
    int streams,
    long bodyBytes,
    Duration idle,
    Duration firstRequest,
    Duration header,
    Duration body,
    Duration openBody,
    Duration answer) {
  /** The bytes that arrive or are received each second at the slowest, after the first time. */
  static final int BYTES_PER_SECOND = 32 << 10;

  /** The bounds of every server; an eighth of the heap, because one process may run several. */
  static ServerBounds usual() {
    return new ServerBounds(
        370,
        340,
        260,
        80,
        40,
        100,
        120,
        80,
        32,
        8,
        60,
        Runtime.getRuntime().maxMemory() / 8,
        Duration.ofSeconds(30),
        Duration.ofSeconds(20),
        Duration.ofSeconds(20),
        Duration.ofSeconds(30),
        Duration.ofSeconds(10),
        Duration.ofSeconds(20));
  }

  /** How long so many bytes may take. */
  static Duration allowed(Duration first, long bytes) {
    return first.plusSeconds(bytes / BYTES_PER_SECOND);
  }
}
