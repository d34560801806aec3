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
  // Short, so that a frozen central manager does not cost the membership: the next call asks
  // another one.
  private static final Duration PROMPTLY = Duration.ofSeconds(10);

  private final ApiClient api;

  PartitionClient(ApiClient api) {
    this.api = api;
  }

  /** All groups, by name. */
  public List<PartitionGroup> list() {
    return List.of(api.get("/v1/partitions").as(PartitionGroup[].class));
  }

  /** One group; UNKNOWN_GROUP if it never had a member. */
  public PartitionGroup show(String group) {
    return api.get(path("/v1/partitions/%s", group)).as(PartitionGroup.class);
  }

  /**
   * Joins, or renews the membership with the given term. UNKNOWN_GROUP if that membership has
   * ended, CONFLICT if another process has joined under the same name.
   */
  public Membership join(String group, MemberRequest request) {
    URI uri = URI.create(path("/v1/partitions/%s/members", group));
    return api.send(HttpCall.post(uri, request).within(PROMPTLY)).as(Membership.class);
  }

  /** Leaves; does nothing if that membership has ended. */
  public void leave(String group, String member, long term) {
    URI uri = URI.create(path("/v1/partitions/%s/members/%s?term=%s", group, member, term));
    api.send(HttpCall.delete(uri).within(PROMPTLY));
  }

  /** The resources that are assigned to a member. */
  public MineAnswer mine(String group, MineRequest request) {
    URI uri = URI.create(path("/v1/partitions/%s/mine", group));
    return api.send(HttpCall.post(uri, request).within(PROMPTLY)).as(MineAnswer.class);
  }

  /**
   * Reports what was polled and returns what to poll next. Can be repeated if no answer arrives:
   * what was handed out and not reported is returned again.
   */
  public NextAnswer next(String group, NextRequest request) {
    URI uri = URI.create(path("/v1/partitions/%s/next", group));
    return api.send(HttpCall.post(uri, request).within(PROMPTLY)).as(NextAnswer.class);
  }
}
