package io.millrace.queuenode.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.api.event.LeaseRequest.Lease;
import io.millrace.queuenode.segment.StoredLease;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.Receipt;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LeaseTextTest {
  @Test
  void aLeaseIsWrittenAsTheApiSays() {
    Lease lease =
        read(
            List.of(
                leased("e \"1\"", "{\"n\":[1.10,null]}", "{\"k\":\"v\"}"),
                leased("e2", "\"é\"", null)));
    assertThat(lease.lease()).isEqualTo(Duration.ofSeconds(30));
    DeliveredEvent first = lease.events().get(0);
    assertThat(first.receipt()).isEqualTo("7.2.3");
    assertThat(first.id()).isEqualTo("e \"1\"");
    assertThat(first.queue()).isEqualTo("alert");
    assertThat(first.attempt()).isEqualTo(2);
    assertThat(first.attributes()).isEqualTo(Map.of("k", "v"));
    assertThat(lease.events().get(1).data().asText()).isEqualTo("é");
    assertThat(lease.events().get(1).attributes()).isNull();
  }

  @Test
  void dataIsReturnedByteForByte() {
    String exact = "{\"n\":[1e400,  0.1000],\"s\":\"\\u00e9 é\"}";
    assertThat(text(List.of(leased("e", exact, null)))).contains("\"data\":" + exact + "}");
  }

  @Test
  void dataOfAnySizeCrossesTheBoundsOfTheWritersBuffer() {
    List<LeasedEvent> events = new ArrayList<>();
    for (int size = 0; size < 20_000; size += 997) {
      events.add(leased("e" + size, '"' + "x".repeat(size) + '"', null));
    }
    List<DeliveredEvent> read = read(events).events();
    for (int i = 0; i < events.size(); i++) {
      assertThat(Json.write(read.get(i).data())).isEqualTo(events.get(i).event().text());
    }
  }

  @Test
  void anEmptyLeaseHasNoEvents() {
    assertThat(text(List.of())).isEqualTo("{\"events\":[],\"lease\":\"30s\"}");
  }

  private static Lease read(List<LeasedEvent> events) {
    return Json.read(text(events), Lease.class);
  }

  private static String text(List<LeasedEvent> events) {
    byte[] text = LeaseText.write(new StoredLease("alert", events, Duration.ofSeconds(30)));
    return new String(text, StandardCharsets.UTF_8);
  }

  private static LeasedEvent leased(String id, String data, String attributes) {
    NewEvent event = new NewEvent(id, data.getBytes(StandardCharsets.UTF_8), attributes);
    return new LeasedEvent(new Receipt(7, 2, 3), 2, event);
  }
}
