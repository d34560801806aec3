package io.millrace.tests.golden;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.platform.identity.Role;

/** The dashboard's pages and sessions, and joining a new machine. */
final class AccountChapter {
  private final RecordingClient wire;

  AccountChapter(RecordingClient wire) {
    this.wire = wire;
  }

  void play() {
    wire.chapter("login");
    wire.manager(null, "the dashboard").first(15).get("/");
    wire.manager(null, "the page that takes a token").first(15).get("/login");
    wire.manager(null, "a script").first(0).get("/assets/app.js");
    wire.manager(null, "no such file").get("/assets/nothing.js");
    wire.manager(null, "a session").post("/v1/login", token(wire.token(Role.VIEWER)));
    wire.manager(null, "not a token").post("/v1/login", token("x"));
    wire.manager(null, "its end").post("/v1/logout");
    JsonNode code = wire.manager(Role.VIEWER, "a code").post("/v1/login-codes");
    String path = "/login/" + code.path("code").asText();
    wire.manager(null, "a session by code").get(path);
    wire.manager(null, "the code again").get(path);
    wire.chapter("join");
    JsonNode token =
        wire.manager(Role.ADMIN, "a token to join")
            .post("/v1/join-tokens", "{'role':'execution-node','validFor':'1h'}");
    wire.manager(Role.ADMIN, "no such role").post("/v1/join-tokens", "{'role':'king'}");
    wire.manager(null, "joins")
        .token(token.path("token").asText())
        .post("/v1/join", "{'name':'e7'}");
    wire.manager(null, "a second time")
        .token(token.path("token").asText())
        .post("/v1/join", "{'name':'e7'}");
    wire.manager(null, "without a token").post("/v1/join", "{'name':'e7'}");
  }

  private static String token(String token) {
    return "{'token':'" + token + "'}";
  }
}
