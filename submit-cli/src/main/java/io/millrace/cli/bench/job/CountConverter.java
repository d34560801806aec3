package io.millrace.cli.bench.job;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 500}, {@code 10k} and {@code 1M}. */
final class CountConverter implements ITypeConverter<Integer> {
  private static final Pattern FORM = Pattern.compile("(\\d{1,7})([km]?)");
  private static final Map<String, Integer> UNITS = Map.of("", 1, "k", 1_000, "m", 1_000_000);

  @Override
  public Integer convert(String text) {
    Matcher form = FORM.matcher(text.toLowerCase(Locale.ROOT));
    if (!form.matches()) {
      throw new TypeConversionException("'" + text + "' is not a number such as 500, 10k or 1M");
    }
    long count = Long.parseLong(form.group(1)) * UNITS.get(form.group(2));
    return (int) Math.min(count, Integer.MAX_VALUE);
  }
}
