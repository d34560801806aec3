package io.millrace.platform.openapi;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.millrace.api.ErrorCode;
import io.millrace.api.Problem;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter.Place;
import io.millrace.platform.openapi.RequestParameter.ValueForm;
import io.millrace.platform.openapi.RouteDescription.RequestBody;
import io.millrace.platform.openapi.RouteDescription.RouteAnswer;
import io.swagger.v3.core.util.Json31;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.PathItem.HttpMethod;
import io.swagger.v3.oas.models.SpecVersion;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import io.swagger.v3.oas.models.servers.Server;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The OpenAPI 3.1 document of one server, made of the descriptions of its routes and of the records
 * that they take and answer. Used by one thread.
 */
public final class ApiDocument {
  /** The extension with the stable codes of a refusal. */
  public static final String CODES = "x-millrace-codes";

  private static final String TOKEN = "token";
  private static final String SESSION = "session";
  private static final String SIGNATURE = "signature";
  private static final String JSON = "application/json";

  private final RecordSchemas schemas = new RecordSchemas();

  private ApiDocument() {}

  /**
   * A route as its server serves it.
   *
   * @param path with parameters in braces
   * @param roles the roles that may call it; empty if everybody may
   */
  public record DescribedRoute(
      String method, String path, Set<Role> roles, RouteDescription description) {}

  /**
   * The document as JSON.
   *
   * @param role the server's role, for the title
   */
  public static byte[] of(String role, List<DescribedRoute> routes) {
    OpenAPI document = new ApiDocument().document(role, routes);
    try {
      return Json31.mapper().writeValueAsString(document).getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the description of the API cannot be written", e);
    }
  }

  private OpenAPI document(String role, List<DescribedRoute> routes) {
    OpenAPI document = new OpenAPI(SpecVersion.V31).openapi("3.1.0");
    document.setInfo(
        new Info()
            .title("Millrace " + role)
            .version("v1")
            .description(
                "Durations are texts such as 30s, sizes texts such as 2GB. Absent values are left"
                    + " out. Answers may have further fields in later versions."));
    document.setServers(List.of(new Server().url("/")));
    Map<String, PathItem> paths = new TreeMap<>();
    for (DescribedRoute route : routes) {
      String path = route.path().replace('<', '{').replace('>', '}');
      paths
          .computeIfAbsent(path, none -> new PathItem())
          .operation(HttpMethod.valueOf(route.method()), operation(route));
    }
    paths.forEach(document::path);
    Components components = new Components();
    new TreeMap<>(schemas.all()).forEach(components::addSchemas);
    components.addSecuritySchemes(
        TOKEN,
        new SecurityScheme()
            .type(SecurityScheme.Type.HTTP)
            .scheme("bearer")
            .description("the token of a user, program or attempt"));
    components.addSecuritySchemes(
        SESSION,
        new SecurityScheme()
            .type(SecurityScheme.Type.APIKEY)
            .in(SecurityScheme.In.COOKIE)
            .name("millrace_session")
            .description("a session of the dashboard; accepted from its own pages only"));
    components.addSecuritySchemes(
        SIGNATURE,
        new SecurityScheme()
            .type(SecurityScheme.Type.HTTP)
            .scheme("Millrace")
            .description("a call signed by a server, with a nonce from /v1/nonce"));
    return document.components(components);
  }

  private Operation operation(DescribedRoute route) {
    RouteDescription description = route.description();
    Operation operation =
        new Operation()
            .operationId(description.id())
            .summary(description.summary())
            .addTagsItem(tag(route.path()));
    for (RequestParameter<?> parameter : description.parameters()) {
      operation.addParametersItem(parameter(parameter));
    }
    if (description.body() != null) {
      operation.setRequestBody(body(description.body()));
    }
    operation.setResponses(responses(route));
    operation.setSecurity(security(route.roles()));
    return operation;
  }

  /** The capability of a path: {@code jobs} of {@code /v1/jobs/{id}}. */
  private static String tag(String path) {
    return path.startsWith("/v1/") ? path.substring(4).replaceFirst("[/.].*", "") : "server";
  }

  private static Parameter parameter(RequestParameter<?> declared) {
    return new Parameter()
        .name(declared.name())
        .in(declared.place().name().toLowerCase(Locale.ROOT))
        .description(declared.description())
        .required(declared.required() || declared.place() == Place.PATH)
        .schema(form(declared));
  }

  private static Schema<?> form(RequestParameter<?> declared) {
    ValueForm form = declared.form();
    Schema<Object> schema = new Schema<>();
    schema.addType(form.type());
    schema.setFormat(form.format());
    if (form.least() != null) {
      schema.setMinimum(BigDecimal.valueOf(form.least()));
    }
    if (form.most() != null && form.most() < Long.MAX_VALUE) {
      schema.setMaximum(BigDecimal.valueOf(form.most()));
    }
    if (!form.values().isEmpty()) {
      schema.setEnum(List.copyOf(form.values()));
    } else if (form.type().equals("string") && !form.expected().equals(ValueForm.ANY)) {
      schema.setDescription(form.expected());
    }
    if (declared.usual() != null) {
      schema.setDefault(RecordSchemas.plain(declared.usual()));
    }
    return schema;
  }

  private io.swagger.v3.oas.models.parameters.RequestBody body(RequestBody taken) {
    Content content = new Content();
    for (String mediaType : taken.mediaTypes()) {
      Schema<?> schema =
          taken.type() == null ? media(mediaType) : schemas.taken(taken.type(), taken.list());
      content.addMediaType(mediaType, new MediaType().schema(schema));
    }
    return new io.swagger.v3.oas.models.parameters.RequestBody()
        .required(taken.required())
        .content(content);
  }

  /** The schema of content that no record describes. */
  private static Schema<?> media(String mediaType) {
    Schema<Object> schema = new Schema<>();
    if (!mediaType.equals(JSON)) {
      schema.addType("string");
    }
    if (mediaType.equals("application/octet-stream")) {
      schema.setFormat("binary");
    }
    return schema;
  }

  private ApiResponses responses(DescribedRoute route) {
    ApiResponses responses = new ApiResponses();
    for (RouteAnswer answer : route.description().answers()) {
      String status = Integer.toString(answer.status());
      ApiResponse response =
          responses.computeIfAbsent(
              status, none -> new ApiResponse().description(meaning(answer.status())));
      route
          .description()
          .headers()
          .forEach(
              (name, text) ->
                  response.addHeaderObject(
                      name,
                      new Header()
                          .description(text)
                          .schema(new Schema<>().types(Set.of("string")))));
      if (answer.mediaType() != null) {
        Schema<?> schema =
            answer.type() == null
                ? media(answer.mediaType())
                : schemas.answered(answer.type(), answer.list());
        Content content = response.getContent() == null ? new Content() : response.getContent();
        content.addMediaType(answer.mediaType(), new MediaType().schema(schema));
        response.setContent(content);
      }
    }
    refusals(route).forEach((status, codes) -> responses.put("" + status, refusal(codes)));
    return responses;
  }

  private static String meaning(int status) {
    return switch (status) {
      case 200 -> "done";
      case 201 -> "created";
      case 204 -> "done, or nothing there; no content";
      case 207 -> "done in part; the answer says what is refused";
      case 303 -> "see the header Location";
      case 304 -> "not changed";
      default -> "status " + status;
    };
  }

  private ApiResponse refusal(Set<String> codes) {
    ApiResponse response = new ApiResponse().description(String.join(", ", codes));
    response.addExtension(CODES, List.copyOf(codes));
    Schema<?> problem = schemas.answered(Problem.class, false);
    return response.content(
        new Content().addMediaType(Problem.MEDIA_TYPE, new MediaType().schema(problem)));
  }

  /** The codes of a route's refusals by status. */
  private static Map<Integer, Set<String>> refusals(DescribedRoute route) {
    Set<ErrorCode> codes = EnumSet.of(ErrorCode.INTERNAL, ErrorCode.UNAVAILABLE);
    codes.addAll(route.description().refusals());
    if (!route.roles().isEmpty()) {
      // Every one of these refuses query parameters that it does not have.
      codes.addAll(
          Set.of(ErrorCode.UNAUTHENTICATED, ErrorCode.FORBIDDEN, ErrorCode.INVALID_REQUEST));
    }
    if (route.description().body() != null) {
      codes.addAll(
          Set.of(
              ErrorCode.INVALID_REQUEST,
              ErrorCode.MALFORMED_BODY,
              ErrorCode.BODY_TOO_LARGE,
              ErrorCode.UNSUPPORTED_MEDIA_TYPE,
              ErrorCode.TIMEOUT));
    }
    return codes.stream()
        .collect(
            Collectors.groupingBy(
                ErrorCode::status,
                TreeMap::new,
                Collectors.mapping(ErrorCode::name, Collectors.toCollection(TreeSet::new))));
  }

  /** The credentials of a route, with the roles that each of them may have. */
  private static List<SecurityRequirement> security(Set<Role> roles) {
    return List.of(
            requirement(TOKEN, roles, role -> !role.isServer()),
            requirement(SESSION, roles, role -> !role.isServer() && !role.isAttempt()),
            requirement(SIGNATURE, roles, Role::isServer))
        .stream()
        .filter(one -> one.values().stream().noneMatch(List::isEmpty))
        .toList();
  }

  private static SecurityRequirement requirement(
      String scheme, Set<Role> roles, Predicate<Role> kind) {
    return new SecurityRequirement()
        .addList(scheme, roles.stream().filter(kind).sorted().map(Role::label).toList());
  }
}
