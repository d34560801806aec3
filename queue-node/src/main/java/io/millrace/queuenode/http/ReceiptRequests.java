package io.millrace.queuenode.http;

import io.javalin.http.Context;
import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.Acknowledgement;
import io.millrace.api.event.Extension;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.Refusal;
import io.millrace.api.event.RefusalKind;
import io.millrace.platform.http.Requests;
import io.millrace.queuenode.store.Receipt;
import java.time.Duration;
import java.util.List;

/** Reads the requests about leases and refuses what is out of bounds. Stateless. */
final class ReceiptRequests {
  private static final int MOST = 10_000;
  private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);
  private static final Duration LONGEST_LEASE = Duration.ofDays(1);
  private static final Duration LONGEST_DELAY = Duration.ofDays(7);

  record Refused(List<Receipt> receipts, Refusal refusal) {}

  record Extended(List<Receipt> receipts, Duration lease) {}

  LeaseRequest lease(Context ctx) {
    LeaseRequest request = Requests.json(ctx, LeaseRequest.class);
    require(request.max() >= 1 && request.max() <= MOST, "max is 1 to " + MOST);
    within("lease", request.lease(), SHORTEST_LEASE, LONGEST_LEASE);
    // A longer patience is cut, not refused: the caller comes back anyway.
    within("patience", request.patience(), Duration.ZERO, LONGEST_LEASE);
    return request;
  }

  /** Whether the caller waits for a first event. */
  static boolean isPatient(LeaseRequest request) {
    return request.patience() != null && !request.patience().isZero();
  }

  /** The same request without patience. */
  static LeaseRequest atOnce(LeaseRequest request) {
    return new LeaseRequest(request.max(), request.lease(), null, request.worker());
  }

  List<Receipt> acknowledgement(Context ctx) {
    return receipts(Requests.json(ctx, Acknowledgement.class).receipts());
  }

  Refused refusal(Context ctx) {
    Refusal refusal = Requests.json(ctx, Refusal.class);
    RefusalKind kind = refusal.kind();
    // Excusing is not the caller's to say.
    require(
        kind == RefusalKind.FAILED || kind == RefusalKind.RETURNED, "kind is FAILED or RETURNED");
    within("delay", refusal.delay(), Duration.ZERO, LONGEST_DELAY);
    return new Refused(receipts(refusal.receipts()), refusal);
  }

  Extended extension(Context ctx) {
    Extension extension = Requests.json(ctx, Extension.class);
    within("lease", extension.lease(), SHORTEST_LEASE, LONGEST_LEASE);
    return new Extended(receipts(extension.receipts()), extension.lease());
  }

  private static List<Receipt> receipts(List<String> texts) {
    require(texts != null && texts.size() <= MOST, "receipts is a list of at most " + MOST);
    return texts.stream().map(Receipt::parse).toList();
  }

  private static void within(String name, Duration given, Duration least, Duration most) {
    require(
        given == null || (given.compareTo(least) >= 0 && given.compareTo(most) <= 0),
        name + " is " + Durations.format(least) + " to " + Durations.format(most));
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, rule);
    }
  }
}
