package io.millrace.api.client;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.partition.MineRequest;
import io.millrace.api.partition.MineRequest.MineAnswer;
import io.millrace.api.partition.NextRequest;
import io.millrace.api.partition.NextRequest.NextAnswer;
import io.millrace.api.partition.PartitionGroup;
import io.millrace.api.partition.PartitionGroup.MemberRequest;
import io.millrace.api.partition.PartitionGroup.Membership;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * The central managers' API of groups that share resources (C-10); programs use {@link
 * io.millrace.api.client.PartitionCoordinator}. Every method blocks, and throws a {@link
 * io.millrace.api.MillraceException} with the server's problem or UNREACHABLE. Thread-safe.
 */
public final class PartitionClient {
  // So that a frozen central manager costs no membership, and the next call asks another one.
  private static final Duration PROMPTLY = Duration.ofSeconds(10);

  private final ApiClient api;

  PartitionClient(ApiClient api) {
    this.api = api;
  }

  /** All groups, by name. */
  public List<PartitionGroup> list() {
    return List.of(api.get("/v1/partitions").as(PartitionGroup[].class));
  }

  /** One group; UNKNOWN_GROUP when nobody has ever joined it. */
  public PartitionGroup show(String group) {
    return api.get(path("/v1/partitions/%s", group)).as(PartitionGroup.class);
  }

  /**
   * Joins, or renews with the term of the life to go on. UNKNOWN_GROUP when that life has ended,
   * CONFLICT when another one of the same name has begun.
   */
  public Membership join(String group, MemberRequest request) {
    URI uri = URI.create(path("/v1/partitions/%s/members", group));
    return api.send(HttpCall.post(uri, request).within(PROMPTLY)).as(Membership.class);
  }

  /** Leaves; does nothing when that life has ended. */
  public void leave(String group, String member, long term) {
    URI uri = URI.create(path("/v1/partitions/%s/members/%s?term=%s", group, member, term));
    api.send(HttpCall.delete(uri).within(PROMPTLY));
  }

  /** Which of the resources are a member's own. */
  public MineAnswer mine(String group, MineRequest request) {
    URI uri = URI.create(path("/v1/partitions/%s/mine", group));
    return api.send(HttpCall.post(uri, request).within(PROMPTLY)).as(MineAnswer.class);
  }

  /**
   * Reports what was polled and gives what to poll next. To be repeated after no answer: what was
   * given and not reported is given again.
   */
  public NextAnswer next(String group, NextRequest request) {
    URI uri = URI.create(path("/v1/partitions/%s/next", group));
    return api.send(HttpCall.post(uri, request).within(PROMPTLY)).as(NextAnswer.class);
  }
}
