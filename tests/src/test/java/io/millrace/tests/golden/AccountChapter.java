package io.millrace.tests.golden;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Role;
import java.util.Base64;

/** The dashboard's pages and sessions, and joining a new machine. */
final class AccountChapter {
  private final RecordingClient client;

  AccountChapter(RecordingClient client) {
    this.client = client;
  }

  void play() {
    client.chapter("login");
    client.manager(null, "the dashboard").first(15).get("/");
    client.manager(null, "the page that takes a token").first(15).get("/login");
    client.manager(null, "a script").first(0).get("/assets/app.js");
    client.manager(null, "no such file").get("/assets/nothing.js");
    client.manager(null, "a session").post("/v1/login", token(client.token(Role.VIEWER)));
    client.manager(null, "not a token").post("/v1/login", token("x"));
    client.manager(Role.VIEWER, "who that is").get("/v1/caller");
    client.manager(null, "its end").post("/v1/logout");
    JsonNode code = client.manager(Role.VIEWER, "a code").post("/v1/login-codes");
    String path = "/login/" + code.path("code").asText();
    client.manager(null, "the page of a code").first(15).get(path);
    client.manager(null, "a session by code").post(path);
    client.manager(null, "the code again").post(path);
    client.chapter("join");
    String join = joinRequest();
    JsonNode token =
        client
            .manager(Role.ADMIN, "a token to join")
            .post("/v1/join-tokens", "{'role':'execution-node','validFor':'1h'}");
    client.manager(Role.ADMIN, "no such role").post("/v1/join-tokens", "{'role':'king'}");
    client
        .manager(Role.ADMIN, "an unknown key")
        .post("/v1/join-tokens", "{'role':'queue-node','nmae':'q7'}");
    client
        .manager(null, "another role than that of the token")
        .token(token.path("token").asText())
        .post("/v1/join", join.replace("}", ",'role':'queue-node'}"));
    client.manager(null, "joins").token(token.path("token").asText()).post("/v1/join", join);
    client
        .manager(null, "another machine with the same token")
        .token(token.path("token").asText())
        .post("/v1/join", joinRequest());
    client
        .manager(null, "again, because the answer was lost")
        .token(token.path("token").asText())
        .post("/v1/join", join);
    JsonNode second =
        client
            .manager(Role.ADMIN, "a token for names of a rack")
            .post("/v1/join-tokens", "{'role':'queue-node','name':'rack7-*'}");
    client
        .manager(null, "another name")
        .token(second.path("token").asText())
        .post("/v1/join", join);
    client
        .manager(null, "without a key")
        .token(second.path("token").asText())
        .post("/v1/join", "{'name':'rack7-1'}");
    client.manager(Role.VIEWER, "who has joined").shape().get("/v1/identities");
    client.manager(Role.ADMIN, "withdrawn").delete("/v1/identities/e7");
    client.manager(Role.ADMIN, "no such node").delete("/v1/identities/e7");
    client.manager(Role.VIEWER, "also who was withdrawn").shape().get("/v1/identities?all=true");
    client.manager(null, "without a token").post("/v1/join", join);
  }

  /** A machine with a key of its own. */
  private static String joinRequest() {
    return "{'name':'e7','key':'%s'}"
        .formatted(Base64.getEncoder().encodeToString(KeyFiles.newPair().getPublic().getEncoded()));
  }

  private static String token(String token) {
    return "{'token':'" + token + "'}";
  }
}
