package io.millrace.platform.http;

import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jetty takes a request back once its client is gone; every later use of it fails. */
class ErrorResponsesTest {
  private final Context takenBack = mock(Context.class);

  @BeforeEach
  void takeTheRequestBack() {
    HttpServletRequest request = mock(HttpServletRequest.class);
    when(request.getRequestURI()).thenThrow(new NullPointerException("no request"));
    when(takenBack.req()).thenReturn(request);
    when(takenBack.path()).thenThrow(new NullPointerException("no request"));
    when(takenBack.method()).thenThrow(new NullPointerException("no request"));
    when(takenBack.res()).thenThrow(new NullPointerException("no response"));
  }

  @Test
  void aFailureAfterTheRequestWasTakenBackEndsThereAndDoesNotFailAgain() {
    ErrorResponses.unexpected(new NullPointerException("no request"), takenBack);
    ErrorResponses.known(new MillraceException(ErrorCode.STORE_FAILURE, "late"), takenBack);
    ErrorResponses.ofServer(new HttpResponseException(404, "late"), takenBack, "test");
    verify(takenBack, never()).status(anyInt());
  }
}
