package io.millrace.bench.session;

import io.millrace.api.Json;
import io.millrace.api.event.EventMedia;
import io.millrace.bench.session.KeyedEventFile.FileEvent;
import io.millrace.bench.session.SessionCalls.DeliveredEvent;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** The sessions of a file, each completed with the last event of its key. */
final class ReplayedSessions implements SessionSource {
  private final Map<String, List<FileEvent>> keys;
  private final Map<String, Integer> places = new HashMap<>();
  private final Iterator<Map.Entry<String, List<FileEvent>>> rest;
  private final long events;

  /** Sessions of events in order. */
  ReplayedSessions(Map<String, List<FileEvent>> keys) {
    this.keys = keys;
    this.rest = keys.entrySet().iterator();
    this.events = keys.values().stream().mapToLong(List::size).sum();
    keys.values()
        .forEach(
            session -> {
              for (int i = 0; i < session.size(); i++) {
                places.put(session.get(i).id(), i + 1);
              }
            });
  }

  @Override
  public int sessions() {
    return keys.size();
  }

  @Override
  public long events() {
    return events;
  }

  @Override
  public int completions() {
    return keys.size();
  }

  @Override
  public synchronized SentSession take() {
    if (!rest.hasNext()) {
      return null;
    }
    Map.Entry<String, List<FileEvent>> next = rest.next();
    return new SentSession(next.getKey(), next.getValue().size());
  }

  @Override
  public int length(String key) {
    List<FileEvent> session = keys.get(key);
    return session == null ? 0 : session.size();
  }

  @Override
  public String mediaType() {
    return EventMedia.ENVELOPES;
  }

  @Override
  public void write(StringBuilder lines, String key, int place, long nowNanos) {
    FileEvent event = event(key, place);
    lines.append("{\"id\":").append(Json.write(event.id()));
    lines.append(",\"data\":").append(event.data()).append("}\n");
  }

  @Override
  public String id(String key, int place, String batch, int index) {
    return event(key, place).id();
  }

  @Override
  public String data(String key, int place) {
    return event(key, place).data();
  }

  @Override
  public long place(String key, DeliveredEvent event) {
    Integer place = places.get(event.id());
    return place == null || !event(key, event.id()) ? 0 : place;
  }

  private boolean event(String key, String id) {
    List<FileEvent> session = keys.get(key);
    return session != null
        && places.get(id) <= session.size()
        && session.get(places.get(id) - 1).id().equals(id);
  }

  private FileEvent event(String key, int place) {
    return keys.get(key).get(place - 1);
  }
}
