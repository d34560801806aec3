package io.millrace.platform.schema;

import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressionFactory;
import com.networknt.schema.regex.RegularExpressions;
import io.millrace.api.ShownText;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Regular expressions whose search ends with the bound of the check: some patterns take years for
 * short texts. Thread-safe.
 */
final class BoundedPatterns implements RegularExpressionFactory {
  /**
   * The longest text that is compared with a pattern: the search needs stack for each character.
   */
  static final int LONGEST = 10_000;

  /** A search that looks at no character takes as long as looking at so many. */
  private static final int SEARCH = 10;

  /** The start of a search takes as long as another step for so many characters of the pattern. */
  private static final int PATTERN = 32;

  private volatile String problem;

  /**
   * Why one of the patterns is not usable, which the library would only log; null if all are. To be
   * asked before data are checked: it says nothing about a pattern that is compiled later.
   */
  String problem() {
    return problem;
  }

  @Override
  public RegularExpression getRegularExpression(String regex) {
    try {
      // Translated as the library does it.
      return bounded(
          Pattern.compile(
              RegularExpressions.replaceLongformCharacterProperties(
                  RegularExpressions.replaceDollarAnchors(regex))));
    } catch (PatternSyntaxException e) {
      String reason =
          "the pattern %s is not a regular expression: %s"
              .formatted(ShownText.of(regex), e.getDescription());
      problem = reason;
      return text -> {
        throw new CheckBound.Reached(reason);
      };
    }
  }

  private static RegularExpression bounded(Pattern pattern) {
    int start = SEARCH + pattern.pattern().length() / PATTERN;
    return text -> {
      if (text.length() > LONGEST) {
        throw new CheckBound.Reached(
            "a text of %d characters is not compared with a pattern; at most %d are"
                .formatted(text.length(), LONGEST));
      }
      CheckBound bound = CheckBound.current();
      bound.spend(start);
      return pattern.matcher(new CountedText(text, bound)).find();
    };
  }

  /** A text of which each character that is read counts. */
  private record CountedText(String text, CheckBound bound) implements CharSequence {
    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      bound.spend(1);
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return new CountedText(text.substring(start, end), bound);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
