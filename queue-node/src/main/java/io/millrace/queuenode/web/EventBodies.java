package io.millrace.queuenode.web;

import io.millrace.api.event.EventMedia;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.queuenode.store.NewEvent;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Reads the bodies of {@link EventMedia} into events: all of a batch, or a refusal. */
final class EventBodies {
  /** Events of one batch at the most. */
  static final int MOST_EVENTS = 10_000;

  private EventBodies() {}

  /**
   * The events of a body.
   *
   * @param contentType as received; null means JSON
   * @param batch names events without an id of their own
   */
  static List<NewEvent> read(String contentType, byte[] body, String batch) {
    List<EventReader.Draft> drafts = drafts(mediaType(contentType), body);
    if (drafts.isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "the batch holds no event; send at least one");
    }
    if (drafts.size() > MOST_EVENTS) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "the batch holds "
              + drafts.size()
              + " events; send at most "
              + MOST_EVENTS
              + " in a batch");
    }
    List<NewEvent> events = new ArrayList<>(drafts.size());
    for (EventReader.Draft draft : drafts) {
      events.add(bounded(draft.event(batch, events.size()), events.size()));
    }
    return events;
  }

  private static NewEvent bounded(NewEvent event, int index) {
    if (event.data().length > NewEvent.MAX_DATA) {
      throw new MillraceException(
          ErrorCode.BODY_TOO_LARGE,
          "event "
              + (index + 1)
              + " of the batch has "
              + event.data().length
              + " bytes of data; at most "
              + NewEvent.MAX_DATA
              + " fit: put the bulk elsewhere and send where it is");
    }
    return event;
  }

  private static List<EventReader.Draft> drafts(String mediaType, byte[] body) {
    return switch (mediaType) {
      case EventMedia.JSON -> new EventReader(text(body), 0).values();
      case EventMedia.LINES -> lines(body, EventReader::value);
      case EventMedia.ENVELOPES -> lines(body, EventReader::envelope);
      default ->
          throw new MillraceException(
              ErrorCode.UNSUPPORTED_MEDIA_TYPE,
              "events come as "
                  + EventMedia.JSON
                  + " (one, or an array), "
                  + EventMedia.LINES
                  + " (one on each line) or "
                  + EventMedia.ENVELOPES
                  + " (with id and attributes), not as "
                  + mediaType);
    };
  }

  private static String mediaType(String contentType) {
    if (contentType == null || contentType.isBlank()) {
      return EventMedia.JSON;
    }
    int parameters = contentType.indexOf(';');
    String type = parameters < 0 ? contentType : contentType.substring(0, parameters);
    return type.strip().toLowerCase(Locale.ROOT);
  }

  private static List<EventReader.Draft> lines(
      byte[] body, Function<EventReader, EventReader.Draft> reading) {
    List<EventReader.Draft> drafts = new ArrayList<>();
    int number = 0;
    // Split at line feeds only: other line separators may stand within JSON strings.
    for (String line : text(body).split("\n", -1)) {
      number++;
      if (!line.isBlank()) {
        drafts.add(reading.apply(new EventReader(line, number)));
      }
    }
    return drafts;
  }

  private static String text(byte[] body) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    } catch (CharacterCodingException e) {
      throw new MillraceException(
          ErrorCode.MALFORMED_BODY, "the body is not UTF-8; nothing of the batch was stored", e);
    }
  }
}
