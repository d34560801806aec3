package io.millrace.manager.sample;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.millrace.api.Json;
import io.millrace.api.insight.FigureHistory.SampledFigure;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The stored form of figures: mean and largest value by name, the latter only if it differs. */
final class FigureText {
  private static final TypeReference<Map<String, double[]>> FORM = new TypeReference<>() {};

  private FigureText() {}

  static String of(Map<String, SampledFigure> figures) {
    Map<String, double[]> stored = new TreeMap<>();
    figures.forEach(
        (name, figure) ->
            stored.put(
                name,
                figure.mean() == figure.most()
                    ? new double[] {figure.mean()}
                    : new double[] {figure.mean(), figure.most()}));
    return Json.write(stored);
  }

  static Map<String, SampledFigure> figures(String text) {
    try {
      Map<String, SampledFigure> figures = new HashMap<>();
      Json.mapper()
          .readValue(text, FORM)
          .forEach(
              (name, values) ->
                  figures.put(name, new SampledFigure(values[0], values[values.length - 1])));
      return figures;
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("unreadable figures: " + text, e);
    }
  }
}
