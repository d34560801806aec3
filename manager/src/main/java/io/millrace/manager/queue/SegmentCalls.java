package io.millrace.manager.queue;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.AnswerTooLargeException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Threads;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests to several queue nodes concurrently, within a time limit. Thread-safe; a call
 * blocks until the last node has answered or timed out.
 */
public final class SegmentCalls implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(SegmentCalls.class);
  private static final int THREADS = 16;
  // Of each thread; a queue node may be anybody's.
  private static final long MAX_ANSWER = 4L << 20;

  private static final Set<ErrorCode> NOTHING_THERE =
      EnumSet.of(
          ErrorCode.UNKNOWN_SEGMENT,
          ErrorCode.UNKNOWN_QUEUE,
          ErrorCode.UNKNOWN_SESSION,
          ErrorCode.UNKNOWN_WORKER);

  private final SignedCalls signing;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, Threads.daemons("segment-calls"));

  public SegmentCalls(SignedCalls signing) {
    this.signing = signing;
  }

  @Override
  public void start() {}

  /** Lets calls in progress end, each within its limit; refuses new ones. */
  @Override
  public void stop() {
    threads.shutdown();
  }

  /**
   * Makes one call to each node.
   *
   * @param calls by node; their URIs are paths
   * @param caller in whose name; the nodes decide by its role
   * @param read converts a successful answer into a value
   * @throws MillraceException the problem of a node that refused the request itself; other nodes
   *     may have carried it out
   */
  <T> Answers<T> ask(
      Map<QueueNodeView, HttpCall> calls,
      Duration limit,
      Principal caller,
      Function<HttpAnswer, T> read) {
    Map<String, CompletableFuture<Reply<T>>> asked = new TreeMap<>();
    Answers<T> answers = new Answers<>(new TreeMap<>(), new ArrayList<>(), new TreeSet<>());
    calls.forEach(
        (node, call) -> {
          if (node.address() == null) {
            answers.unreached().add(node.name());
            return;
          }
          HttpCall located = located(node.address(), call).within(limit);
          HttpTransport signed = signing.to(Role.QUEUE_NODE, node.name(), caller);
          asked.put(node.name(), start(() -> reply(signed, node.name(), located, read)));
        });
    asked.forEach((node, reply) -> reply.join().into(node, answers));
    return answers;
  }

  /**
   * Makes one call to one node, on the thread of the caller, and returns what the node says.
   *
   * @param call its URI is a path
   * @throws MillraceException the node's own problem, or UNREACHABLE if it does not answer or does
   *     not accept this central manager
   */
  HttpAnswer pass(QueueNodeView node, HttpCall call, Duration limit, Principal caller) {
    if (node.address() == null) {
      throw unreachable(node.name(), null);
    }
    HttpTransport signed = signing.to(Role.QUEUE_NODE, node.name(), caller);
    try {
      return signed.send(located(node.address(), call).within(limit)).orThrow();
    } catch (AnswerTooLargeException e) {
      throw tooLarge("queue node " + node.name(), e);
    } catch (IOException e) {
      throw unreachable(node.name(), e);
    } catch (MillraceException e) {
      throw SignedCalls.refusesServer(e) ? unreachable(node.name(), e) : e;
    }
  }

  private static MillraceException unreachable(String node, Exception cause) {
    return new MillraceException(
        ErrorCode.UNREACHABLE, "queue node " + node + " does not answer; start it", cause);
  }

  /**
   * The problem of a node whose answer is too large to be read.
   *
   * @param node words that name it
   */
  static MillraceException tooLarge(String node, AnswerTooLargeException cause) {
    return new MillraceException(
        ErrorCode.INTERNAL,
        "%s answers, but with more than the %s that are read of an answer; whether it has done what was asked of it is unknown, and its log may say more"
            .formatted(node, new DataSize(MAX_ANSWER)),
        cause);
  }

  private <T> CompletableFuture<Reply<T>> start(Supplier<Reply<T>> call) {
    try {
      return CompletableFuture.supplyAsync(call, threads);
    } catch (RejectedExecutionException e) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE, "this central manager is stopping; ask another one", e);
    }
  }

  private static HttpCall located(URI address, HttpCall call) {
    return call.at(address.resolve(call.uri())).answeredWithin(MAX_ANSWER);
  }

  private static <T> Reply<T> reply(
      HttpTransport transport, String node, HttpCall call, Function<HttpAnswer, T> read) {
    try {
      return value(node, call, transport.send(call).orThrow(), read);
    } catch (AnswerTooLargeException e) {
      // Not one of ours: a queue node answers with fewer events if they are large.
      LOGGER.warn(
          "queue node {} answers {} with more than {} bytes", node, call.uri(), MAX_ANSWER, e);
      return new Reply<>(null, null, ReplyState.TOO_LARGE);
    } catch (IOException e) {
      LOGGER.info(
          "queue node {} does not answer {} {}: {}", node, call.method(), call.uri(), e.toString());
      return new Reply<>(null, null, ReplyState.NO);
    } catch (MillraceException e) {
      return refusal(node, call, e);
    }
  }

  /** An answer that is not what a queue node sends is no mistake of the caller. */
  private static <T> Reply<T> value(
      String node, HttpCall call, HttpAnswer answer, Function<HttpAnswer, T> read) {
    try {
      return new Reply<>(read.apply(answer), null, ReplyState.YES);
    } catch (MillraceException unreadable) {
      LOGGER.warn("queue node {} answers {} with something else", node, call.uri(), unreadable);
      return new Reply<>(null, null, ReplyState.NO);
    }
  }

  /**
   * A node without the segment, session or worker has nothing to do; one that cannot serve now, or
   * does not accept this central manager, counts as not reached.
   */
  private static <T> Reply<T> refusal(String node, HttpCall call, MillraceException e) {
    if (NOTHING_THERE.contains(e.code())) {
      return new Reply<>(null, null, ReplyState.YES);
    }
    if (e.code().status() < 500 && !SignedCalls.refusesServer(e)) {
      return new Reply<>(null, e, ReplyState.YES);
    }
    LOGGER.info("queue node {} refused {} {}: {}", node, call.method(), call.uri(), e.getMessage());
    return new Reply<>(null, null, ReplyState.NO);
  }

  private enum ReplyState {
    YES,
    NO,
    TOO_LARGE
  }

  private record Reply<T>(T value, MillraceException refusal, ReplyState reached) {
    void into(String node, Answers<T> answers) {
      if (refusal != null) {
        throw refusal;
      }
      if (reached == ReplyState.TOO_LARGE) {
        answers.tooLarge().add(node);
      }
      if (reached != ReplyState.YES) {
        answers.unreached().add(node);
      } else if (value != null) {
        answers.values().put(node, value);
      }
    }
  }

  /**
   * The answers of several nodes.
   *
   * @param values by node's name; a node without the segment has none
   * @param unreached nodes that did not answer
   * @param tooLarge those of them that did, but with more than is read
   */
  record Answers<T>(Map<String, T> values, List<String> unreached, Set<String> tooLarge) {
    /** Without the answers that are not of their node, which counts as not reached. */
    Answers<T> onlyOwn(BiPredicate<String, T> own) {
      Answers<T> kept = new Answers<>(new TreeMap<>(), new ArrayList<>(unreached), tooLarge);
      values.forEach(
          (node, value) -> {
            if (own.test(node, value)) {
              kept.values.put(node, value);
            } else {
              LOGGER.warn("queue node {} answers in the name of another", node);
              kept.unreached.add(node);
            }
          });
      return kept;
    }
  }
}
