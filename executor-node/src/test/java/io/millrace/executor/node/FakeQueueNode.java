package io.millrace.executor.node;

import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.api.event.LeaseRequest.Lease;
import io.millrace.api.event.ReceiptAnswer;
import io.millrace.api.event.ReceiptAnswer.Acknowledgement;
import io.millrace.api.event.ReceiptAnswer.Extension;
import io.millrace.api.event.ReceiptAnswer.Refusal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A segment in memory. */
final class FakeQueueNode {
  private static final String EVENT =
      """
      {"receipt": "receipt-ID", "id": "ID", "queue": "alerts", "attempt": 1, "data": {"n": "ID"}}
      """;

  private final List<String> diary;
  private final Deque<DeliveredEvent> ready = new ArrayDeque<>();
  private final List<String> acknowledged = new ArrayList<>();
  private final List<Refusal> refusals = new ArrayList<>();
  private int extensions;
  private volatile boolean away;

  FakeQueueNode(List<String> diary) {
    this.diary = diary;
  }

  synchronized void put(String... ids) {
    for (String id : ids) {
      ready.add(Json.read(EVENT.replace("ID", id), DeliveredEvent.class));
    }
  }

  void goAway(boolean gone) {
    away = gone;
  }

  boolean isAway() {
    return away;
  }

  synchronized List<String> acknowledged() {
    return List.copyOf(acknowledged);
  }

  synchronized List<Refusal> refusals() {
    return List.copyOf(refusals);
  }

  /** The number of events that nobody has leased. */
  synchronized int waiting() {
    return ready.size();
  }

  synchronized int extensions() {
    return extensions;
  }

  synchronized Object answer(HttpCall call) {
    String path = call.uri().getPath();
    if (path.endsWith("/leases")) {
      return lease(Json.read(call.body(), LeaseRequest.class));
    }
    if (path.endsWith("/acks")) {
      List<String> receipts = Json.read(call.body(), Acknowledgement.class).receipts();
      acknowledged.addAll(receipts);
      diary.add("ack");
      return new ReceiptAnswer(receipts.size(), List.of(), 0);
    }
    if (path.endsWith("/nacks")) {
      Refusal refusal = Json.read(call.body(), Refusal.class);
      refusals.add(refusal);
      diary.add("nack " + refusal.kind());
      return new ReceiptAnswer(refusal.receipts().size(), List.of(), 0);
    }
    extensions++;
    return new ReceiptAnswer(
        Json.read(call.body(), Extension.class).receipts().size(), List.of(), 0);
  }

  private Lease lease(LeaseRequest request) {
    List<DeliveredEvent> taken = new ArrayList<>();
    while (taken.size() < request.max() && !ready.isEmpty()) {
      taken.add(ready.remove());
    }
    return new Lease(taken, request.lease());
  }
}
