package io.millrace.api;

/**
 * The one exception that carries an {@link ErrorCode}; its message names the IDs involved and what
 * an operator can do.
 */
public class MillraceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  public MillraceException(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  public MillraceException(ErrorCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  public ErrorCode code() {
    return code;
  }

  /** The same error as problem details. */
  public Problem problem() {
    return Problem.of(code, getMessage());
  }
}
