package io.millrace.queuenode.agent;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.MoveAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A central manager that answers requests to move weight as configured. */
final class FakeWeightServer implements HttpTransport {
  final List<MoveRequest> requests = new ArrayList<>();
  ErrorCode refusal;
  boolean silent;

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    if (!call.uri().getPath().equals("/v1/weights/moves")) {
      throw new IllegalArgumentException("an agent does not ask for " + call.uri());
    }
    requests.add(Json.read(call.body(), MoveRequest.class));
    if (silent) {
      throw new SocketTimeoutException("no answer");
    }
    if (refusal != null) {
      return new HttpAnswer(
          refusal.status(),
          Map.of("content-type", Problem.MEDIA_TYPE),
          Json.writeBytes(Problem.of(refusal, "row 4 is now 5")));
    }
    return new HttpAnswer(200, Map.of(), Json.writeBytes(new MoveAnswer(List.of(), false)));
  }

  @Override
  public InputStream stream(HttpCall call) {
    throw new UnsupportedOperationException("an agent streams nothing");
  }
}
