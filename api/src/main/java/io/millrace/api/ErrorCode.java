package io.millrace.api;

/**
 * Stable names of everything that can go wrong; they appear in problem details, CLI messages and
 * metrics. A code is never renamed or reused; its HTTP status is part of it.
 */
public enum ErrorCode {
  /** The request cannot be read or breaks a rule of its format. */
  INVALID_REQUEST(400),
  /** The body is not well-formed JSON, NDJSON or YAML. */
  MALFORMED_BODY(400),
  /** A definition breaks a rule; the message names the field. */
  INVALID_DEFINITION(400),
  /** No credentials, or credentials that are not valid. */
  UNAUTHENTICATED(401),
  /** The role of the credentials does not permit this. */
  FORBIDDEN(403),
  /** There is no route at this path. */
  UNKNOWN_ROUTE(404),
  /** No queue of that name is defined. */
  UNKNOWN_QUEUE(404),
  /** No definition of that kind and name, or no such version of it. */
  UNKNOWN_DEFINITION(404),
  /** There is no job with that ID. */
  UNKNOWN_JOB(404),
  /** No task of that name is defined. */
  UNKNOWN_TASK(404),
  /** No run of a task has that number. */
  UNKNOWN_RUN(404),
  /** There is no workflow with that number. */
  UNKNOWN_WORKFLOW(404),
  /** The workflow has no such step or template. */
  UNKNOWN_STEP(404),
  /** No partition group of that name, or no such member of it. */
  UNKNOWN_GROUP(404),
  /** There is no node with that ID. */
  UNKNOWN_NODE(404),
  /** The attempt or its log is not, or no longer, on this node. */
  UNKNOWN_ATTEMPT(404),
  /** There is no silence of problems with that number. */
  UNKNOWN_SILENCE(404),
  /** The queue has no dead letter of that handle or event. */
  UNKNOWN_DEAD_LETTER(404),
  /** The queue has no session with that key, or the queue has no sessions at all. */
  UNKNOWN_SESSION(404),
  /** No worker of that id is registered for the sessions of the queue: it must register again. */
  UNKNOWN_WORKER(404),
  /** This node holds no segment of that queue. */
  UNKNOWN_SEGMENT(404),
  /** The path exists, but not with this method; the header Allow names the methods that it has. */
  METHOD_NOT_ALLOWED(405),
  /** The state does not allow the change. */
  CONFLICT(409),
  /** No node of a pool could ever give what steps of a workflow ask for. */
  INFEASIBLE(409),
  /** The attempt is no longer the job's current one: its requests are refused (fencing). */
  STALE_ATTEMPT(409),
  /**
   * A newer request of the same node, or a later poll of the same session worker, was already
   * accepted: this one changes nothing.
   */
  STALE_REQUEST(409),
  /** The row was changed concurrently; read it again. */
  STALE_VERSION(409),
  /** The lease has expired and the event or chunk was given to another worker. */
  STALE_RECEIPT(409),
  /** Another node has the slot of the event's key, or is about to get it. */
  STALE_SLOT(409),
  /** The session of the event's key is completed. */
  DUPLICATE(409),
  /** The queue is being deleted and accepts no more events. */
  QUEUE_DELETING(410),
  /** The body is larger than the server accepts. */
  BODY_TOO_LARGE(413),
  /** The route does not accept this content type. */
  UNSUPPORTED_MEDIA_TYPE(415),
  /** The queue holds as many events as its definition allows. */
  QUEUE_FULL(429),
  /**
   * So many sessions wait for a worker that no more are opened, one has too many events, or so many
   * workers are registered that no more are.
   */
  SESSIONS_FULL(429),
  /**
   * Events arrive faster than the queue's definition allows, or those of one request take too long
   * to be checked.
   */
  RATE_LIMITED(429),
  /** An internal error of the server; the incident ID is in its log. */
  INTERNAL(500),
  /** The server that should answer cannot be reached. */
  UNREACHABLE(503),
  /** The server is starting, stopping or cannot reach what it depends on. */
  UNAVAILABLE(503),
  /** Operators have paused the queue. */
  QUEUE_PAUSED(503),
  /** No node with weight currently accepts events of the queue. */
  NO_SEGMENT(503),
  /** It did not happen within the time allowed; it may still happen. */
  TIMEOUT(504),
  /** The store cannot be opened, read or written. */
  STORE_FAILURE(500),
  /** The disk has less free space than the reserve. */
  DISK_FULL(507),
  /** A configuration file or option is wrong; all problems are listed. */
  CONFIGURATION(500);

  private final int status;

  ErrorCode(int status) {
    this.status = status;
  }

  /** The HTTP status that answers with this code. */
  public int status() {
    return status;
  }
}
