package io.millrace.executor.batch;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.QueueClient;
import io.millrace.platform.clock.Clock;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;

/**
 * What calls to queue nodes need.
 *
 * @param transport the node's
 * @param clock times leases
 * @param timer wakes extensions and repetitions; never blocked
 * @param calls where the calls block
 * @param addresses where a queue node answers now, by its name, as the central managers know it;
 *     blocks, and may fail with a MillraceException
 */
public record BatchCalls(
    HttpTransport transport,
    Clock clock,
    ScheduledExecutorService timer,
    Executor calls,
    Function<String, Optional<URI>> addresses) {

  QueueClient client(URI queueNode, String token) {
    return new QueueClient(
        new ApiClient(transport, new Endpoints(List.of(queueNode)), () -> token));
  }
}
