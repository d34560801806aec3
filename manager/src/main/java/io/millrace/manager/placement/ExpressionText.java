package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.Sizes;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of an expression as written by users, and as passed to the library: sizes such as {@code
 * 64GB} outside quotes are replaced by numbers of bytes. Immutable.
 */
@Pure
final class ExpressionText {
  private static final Pattern SIZE =
      Pattern.compile(
          "(\\d{1,15})(\\.\\d{1,6})?\\s*((?:[KMGT]i?)?B)(?![A-Za-z0-9_])",
          Pattern.CASE_INSENSITIVE);

  private final String written;
  private final StringBuilder rewritten = new StringBuilder();
  // Where a stretch of the rewritten text begins, and where that stretch was written.
  private final TreeMap<Integer, Integer> origins = new TreeMap<>();
  private final List<Integer> joints = new ArrayList<>();
  private boolean choice;
  private int depth;
  private boolean wrapped;

  ExpressionText(String written) {
    this.written = written;
    this.wrapped = written.startsWith("(") && written.endsWith(")");
    scan();
  }

  String rewritten() {
    return rewritten.toString();
  }

  /** Where a character of the rewritten text was written, both from 0. */
  int origin(int at) {
    var segment = origins.floorEntry(at);
    int origin = segment == null ? at : segment.getValue() + at - segment.getKey();
    return Math.min(origin, written.length());
  }

  /** The parts of a conjunction, as written; the whole text if it is not a conjunction. */
  List<String> parts() {
    if (wrapped) {
      return new ExpressionText(written.substring(1, written.length() - 1).strip()).parts();
    }
    if (choice || joints.isEmpty()) {
      return List.of(written.strip());
    }
    List<String> parts = new ArrayList<>();
    int from = 0;
    for (int joint : joints) {
      parts.addAll(new ExpressionText(written.substring(from, joint).strip()).parts());
      from = joint + 2;
    }
    parts.addAll(new ExpressionText(written.substring(from).strip()).parts());
    return parts;
  }

  private void scan() {
    Matcher size = SIZE.matcher(written);
    int at = 0;
    while (at < written.length()) {
      char here = written.charAt(at);
      if (here == '"' || here == '\'') {
        at = copy(at, endOfQuote(at));
      } else if (written.startsWith("//", at)) {
        // A comment ends with its line; what is left of the expression is one line.
        int end = written.indexOf('\n', at);
        at = end < 0 ? written.length() : end;
        origins.put(rewritten.length(), at);
      } else if (Character.isLetterOrDigit(here) || here == '_') {
        at = word(at, size);
      } else {
        structure(at, here);
        rewritten.append(Character.isWhitespace(here) ? ' ' : here);
        at++;
      }
    }
  }

  private int word(int at, Matcher size) {
    if (size.region(at, written.length()).lookingAt() && !afterPoint(at)) {
      origins.put(rewritten.length(), at);
      rewritten.append(bytes(size));
      origins.put(rewritten.length(), size.end());
      return size.end();
    }
    int end = at;
    while (end < written.length()
        && (Character.isLetterOrDigit(written.charAt(end)) || written.charAt(end) == '_')) {
      end++;
    }
    return copy(at, end);
  }

  private boolean afterPoint(int at) {
    return at > 0 && written.charAt(at - 1) == '.';
  }

  private static long bytes(Matcher size) {
    // The unit as Sizes knows it; fractions of a byte are dropped, and the size is capped.
    long unit = Sizes.parse("1" + size.group(3).toUpperCase(Locale.ROOT));
    String fraction = size.group(2) == null ? "" : size.group(2);
    return new BigDecimal(size.group(1) + fraction)
        .multiply(BigDecimal.valueOf(unit))
        .min(BigDecimal.valueOf(Long.MAX_VALUE))
        .longValue();
  }

  private int copy(int from, int to) {
    rewritten.append(written, from, to);
    return to;
  }

  private int endOfQuote(int at) {
    char quote = written.charAt(at);
    String triple = String.valueOf(quote).repeat(3);
    boolean isTriple = written.startsWith(triple, at);
    boolean raw = at > 0 && "rR".indexOf(written.charAt(at - 1)) >= 0;
    int next = at + (isTriple ? 3 : 1);
    while (next < written.length()) {
      if (written.charAt(next) == '\\' && !raw) {
        next += 2;
      } else if (isTriple ? written.startsWith(triple, next) : written.charAt(next) == quote) {
        return Math.min(written.length(), next + (isTriple ? 3 : 1));
      } else {
        next++;
      }
    }
    return written.length();
  }

  private void structure(int at, char here) {
    if ("([{".indexOf(here) >= 0) {
      depth++;
    } else if (")]}".indexOf(here) >= 0) {
      depth--;
      wrapped &= depth > 0 || at == written.length() - 1;
    } else if (depth == 0 && (here == '?' || written.startsWith("||", at))) {
      choice = true;
    } else if (depth == 0 && written.startsWith("&&", at)) {
      joints.add(at);
    }
  }
}
