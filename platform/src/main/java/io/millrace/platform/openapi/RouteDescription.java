package io.millrace.platform.openapi;

import io.millrace.api.ErrorCode;
import io.millrace.platform.openapi.RequestParameter.Place;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a route takes, answers and refuses. Every method returns a description with more in it.
 * Immutable.
 *
 * @param id names the operation in generated clients, such as {@code submitJob}; unique on its
 *     server and never changed
 * @param summary one line that says what it does
 * @param parameters all parameters that its handler reads
 * @param body what it takes; null for nothing
 * @param answers its successful answers, at least one
 * @param headers headers of its successful answers, with their descriptions
 * @param refusals codes of its refusals, besides those of all routes
 */
public record RouteDescription(
    String id,
    String summary,
    List<RequestParameter<?>> parameters,
    RequestBody body,
    List<RouteAnswer> answers,
    Map<String, String> headers,
    Set<ErrorCode> refusals) {
  /** The description of a route that takes no parameters, before it is described. */
  public static final RouteDescription NONE = named("", "");

  private static final String JSON = "application/json";

  public RouteDescription {
    parameters = List.copyOf(parameters);
    answers = List.copyOf(answers);
    headers = Map.copyOf(headers);
    refusals = Set.copyOf(refusals);
  }

  /**
   * A body.
   *
   * @param mediaTypes what is accepted
   * @param type what the JSON is read as; null for other bodies
   * @param list whether it is a list of such values
   * @param required whether a request without it is refused
   */
  public record RequestBody(
      List<String> mediaTypes, Class<?> type, boolean list, boolean required) {
    public RequestBody {
      mediaTypes = List.copyOf(mediaTypes);
    }
  }

  /**
   * A successful answer.
   *
   * @param status the HTTP status
   * @param mediaType null for no content
   * @param type what the JSON was written from; null for other content
   * @param list whether it is a list of such values
   */
  public record RouteAnswer(int status, String mediaType, Class<?> type, boolean list) {}

  /** A description that does not say yet what is taken and answered. */
  public static RouteDescription named(String id, String summary) {
    return new RouteDescription(
        id, summary, List.of(), null, List.of(), Map.of(), EnumSet.noneOf(ErrorCode.class));
  }

  /** The route's handler reads these parameters. */
  public RouteDescription reads(RequestParameter<?>... more) {
    List<RequestParameter<?>> all = new ArrayList<>(parameters);
    all.addAll(List.of(more));
    return new RouteDescription(id, summary, all, body, answers, headers, refusals);
  }

  /** It takes a JSON object. */
  public RouteDescription takes(Class<?> type) {
    return takes(new RequestBody(List.of(JSON), type, false, true));
  }

  /** It takes a JSON object, or no body. */
  public RouteDescription mayTake(Class<?> type) {
    return takes(new RequestBody(List.of(JSON), type, false, false));
  }

  /** It takes a list of JSON objects. */
  public RouteDescription takesListOf(Class<?> type) {
    return takes(new RequestBody(List.of(JSON), type, true, true));
  }

  /** It takes bodies of these media types. */
  public RouteDescription takesMedia(String... mediaTypes) {
    return takes(new RequestBody(List.of(mediaTypes), null, false, true));
  }

  private RouteDescription takes(RequestBody taken) {
    return new RouteDescription(id, summary, parameters, taken, answers, headers, refusals);
  }

  /** It answers 200 with a JSON value. */
  public RouteDescription answers(Class<?> type) {
    return answers(200, type);
  }

  /** It answers with a JSON value. */
  public RouteDescription answers(int status, Class<?> type) {
    return answers(new RouteAnswer(status, JSON, type, false));
  }

  /** It answers 200 with a list of JSON values. */
  public RouteDescription answersListOf(Class<?> type) {
    return answersListOf(200, type);
  }

  /** It answers with a list of JSON values. */
  public RouteDescription answersListOf(int status, Class<?> type) {
    return answers(new RouteAnswer(status, JSON, type, true));
  }

  /** It answers 200 with content of that media type. */
  public RouteDescription answersMedia(String mediaType) {
    return answers(new RouteAnswer(200, mediaType, null, false));
  }

  /** It answers with that status and no content. */
  public RouteDescription answersEmpty(int status) {
    return answers(new RouteAnswer(status, null, null, false));
  }

  private RouteDescription answers(RouteAnswer one) {
    List<RouteAnswer> all = new ArrayList<>(answers);
    all.add(one);
    return new RouteDescription(id, summary, parameters, body, all, headers, refusals);
  }

  /** Its successful answers may have this header. */
  public RouteDescription with(String header, String description) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put(header, description);
    return new RouteDescription(id, summary, parameters, body, answers, all, refusals);
  }

  /**
   * It may refuse with these codes. Those of its checks of callers, parameters and bodies, and of
   * failures of the server, need not be stated.
   */
  public RouteDescription refuses(ErrorCode... codes) {
    Set<ErrorCode> all = EnumSet.noneOf(ErrorCode.class);
    all.addAll(refusals);
    all.addAll(List.of(codes));
    return new RouteDescription(id, summary, parameters, body, answers, headers, all);
  }

  /** Whether a route has been described. */
  public boolean complete() {
    return !id.isEmpty() && !answers.isEmpty();
  }

  /** The names of its parameters in that place. */
  public List<String> names(Place place) {
    return parameters.stream()
        .filter(parameter -> parameter.place() == place)
        .map(RequestParameter::name)
        .sorted()
        .collect(Collectors.toList());
  }
}
